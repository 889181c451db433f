import { expect } from 'chai'
import { bytesField } from '../../simnode/node/wire.ts'
import { keyOf } from '../../simnode/replay/recording.ts'
import type { Recording } from '../../simnode/replay/recording.ts'
import { startReplayNode } from '../../simnode/replay/replay-node.ts'
import { ConnectProxy } from '../support/connect-proxy.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { recording } from '../support/replay.ts'

const root = 137_390_146
const lowest = root - 30
const head = root + 30
const pastNode = 'access-001.mainnet27.nodes.onflow.org:9000'
const variables = ['grpc_proxy', 'no_grpc_proxy', 'no_proxy'] as const

async function mainnetRecording(): Promise<Recording> {
  const base = await recording('base')
  const chainId = [keyOf('GetNetworkParameters', Buffer.alloc(0)), bytesField(1, Buffer.from('flow-mainnet'))] as const
  const versions = [...base.versions].map(
    ([name, version]) => [name, { ...version, answers: new Map([...version.answers, chainId]) }] as const,
  )
  return { ...base, versions: new Map(versions) }
}

describe('the backfill of mainnet', () => {
  const environment = new Map(variables.map((name) => [name, process.env[name]]))
  let database: TestDatabase
  let proxy: ConnectProxy | undefined

  beforeEach(async () => {
    database = await createTestDatabase()
    for (const name of variables) delete process.env[name]
  })

  afterEach(async () => {
    proxy?.kill()
    for (const [name, value] of environment) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    await database.drop()
  })

  /** Hosts resolve through a proxy: the past spork's public name is a local node. */
  async function backfill(settings: Record<string, string>): Promise<{ stored: unknown; targets: Set<string> }> {
    const shape = { recording: await mainnetRecording(), startHeight: lowest, loop: true }
    await using past = await startReplayNode({ ...shape, head: root - 1 })
    await using current = await startReplayNode({ ...shape, head, sporkRootHeight: root })
    const port = (endpoint: string): number => Number(endpoint.split(':').at(-1))
    proxy = await ConnectProxy.start({
      ports: { [pastNode]: port(past.endpoint), 'current.invalid:9000': port(current.endpoint) },
    })
    process.env['grpc_proxy'] = `http://127.0.0.1:${proxy.port}`
    const run = await runIngest(database, {
      CHAIN_ACCESS_NODE: 'current.invalid:9000',
      ENABLE_FORWARD_INGESTER: 'false',
      HISTORY_STOP_HEIGHT: String(lowest),
      ...settings,
    })
    await untilStored(database, settings['CHAIN_HISTORIC_ACCESS_NODES'] === '' ? root : lowest, head, run)
    await run.stop()
    return { stored: await storedHeights(database.pool), targets: new Set(proxy.targets) }
  }

  it('continues below the current spork on the public node of the past one', async () => {
    const { stored, targets } = await backfill({})
    expect(stored).to.deep.equal([{ from: lowest, to: head + 1 }])
    expect([...targets]).to.have.members(['current.invalid:9000', pastNode])
  })

  it('ends at the root of the live nodes if CHAIN_HISTORIC_ACCESS_NODES is empty', async () => {
    const { stored, targets } = await backfill({ CHAIN_HISTORIC_ACCESS_NODES: '' })
    expect(stored).to.deep.equal([{ from: root, to: head + 1 }])
    expect([...targets]).to.deep.equal(['current.invalid:9000'])
  })
})
