import { join } from 'node:path'
import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { enrichmentOff } from '../support/enrichment-off.ts'
import { untilDerived } from '../support/farm.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { compareHoldings, compareItems, compareVaults } from '../support/ledger-truth.ts'
import { backupSettings, takeBaseBackup } from './base-backup.ts'
import { makeServerFolder, removeServerFolder, startOwnServer } from './own-server.ts'
import type { OwnServer } from './own-server.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const names = workers.map(({ name }) => name)
const [early, late] = [90, 160]

describe('a base backup of a running system', function () {
  let folder: string
  let node: LedgerNode
  const servers: OwnServer[] = []
  const programs: FlowfarmProcess[] = []

  beforeEach(async () => {
    folder = await makeServerFolder()
    node = await startLedgerNode({ seed: 3, head: early })
  })

  afterEach(async function (this: Mocha.Context) {
    if (this.currentTest?.state === 'failed')
      for (const one of programs) process.stderr.write(`${one.output().slice(-20_000)}\n\n`)
    await Promise.all(programs.splice(0).map((one) => one.end('SIGKILL')))
    await Promise.all(servers.splice(0).map((server) => server.stop()))
    await node.stop()
    await removeServerFolder(folder)
  })

  const start = async (name: string): Promise<OwnServer> => {
    const server = await startOwnServer(join(folder, name), backupSettings)
    servers.push(server)
    return server
  }

  const run = ({ url }: OwnServer, variables: Record<string, string>): FlowfarmProcess => {
    const program = new FlowfarmProcess(['ingest', 'farm'], {
      ...enrichmentOff,
      DB_URL: url,
      CHAIN_ACCESS_NODE: node.endpoint,
      START_BLOCK: '0',
      ENABLE_HISTORY_INGESTER: 'false',
      LIVE_DERIVERS_CHUNK: '10',
      HISTORY_DERIVERS_CHUNK: '10',
      ...variables,
    })
    programs.push(program)
    return program
  }

  const headOf = async ({ pool }: OwnServer): Promise<number> => {
    const { rows } = await pool.query<{ head: number }>('select max(height)::int as head from raw.blocks')
    return rows[0]?.head ?? -1
  }

  /** Loses the first server with all data after the backup, and continues with the backup. */
  async function restore(variables: Record<string, string>): Promise<void> {
    const lost = await start('lost')
    await migrate(lost.pool, migrations)
    const before = run(lost, variables)
    await untilDerived(lost, names, [{ from: 0, to: 30 }])
    await takeBaseBackup(lost.url, lost.folder, join(folder, 'backup'))
    node.setHead(late)
    await untilDerived(lost, names, [{ from: 0, to: late + 1 }])
    expect(await before.end('SIGKILL')).to.equal('SIGKILL')
    await lost.stop()

    const restored = await start('backup')
    expect(await headOf(restored)).to.be.within(29, early)
    node.setHead(late + 20)
    const after = run(restored, variables)
    const heights = [{ from: 0, to: late + 21 }]
    await untilDerived(restored, names, heights)
    for (const covered of (await readCoverage(restored.pool, ['main_ingester', ...names])).values())
      expect(covered).to.deep.equal(heights)
    await rebuildDerived({ pool: restored.pool, workers, network: 'emulator' })
    const { tables } = await compareDerived({ pool: restored.pool, workers })
    expect(tables.filter(({ differences }) => differences > 0)).to.deep.equal([])
    for (const compare of [compareVaults, compareHoldings, compareItems]) {
      const { expected, found } = await compare(restored.pool, node.chain, late + 20)
      expect(found).to.deep.equal(expected).and.not.deep.equal([])
    }
    expect(await after.end('SIGTERM')).to.equal(0)
  }

  it('is restored without gaps', () => restore({}))

  it('is restored without gaps beside a Redis with newer jobs', async function (this: Mocha.Context) {
    const redis = await startRedis()
    if (redis === undefined) this.skip()
    try {
      await restore({ REDIS_URL: redis.url })
    } finally {
      await redis.stop()
    }
  })
})
