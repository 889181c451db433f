import { expect } from 'chai'
import { pino } from 'pino'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import type { ClosableChainReader } from '../../src/access/create-chain-reader.ts'
import { ChainUnavailableError, createPresentChain } from '../../src/explorer/present-chain.ts'
import type { PresentChain, PresentChainOptions } from '../../src/explorer/present-chain.ts'
import { ScriptFailedError } from '../../src/flow/chain-reader.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import { Refusal } from '../../simnode/node/node-view.ts'
import { ScriptNode, cdc, refuse } from '../support/script-node.ts'
import type { Ledger } from '../support/script-node.ts'
import { quiet } from '../support/chain-source.ts'

const address = '0xf8d6e0586b0a20c7'

describe('current chain state', () => {
  const nodes: ScriptNode[] = []
  const readers: ClosableChainReader[] = []
  let now = 0

  afterEach(async () => {
    now = 0
    await Promise.all(readers.splice(0).map((reader) => reader.close()))
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })

  async function start(ledger: Ledger = { account: () => ({}) }): Promise<ScriptNode> {
    const node = await ScriptNode.start(ledger)
    nodes.push(node)
    return node
  }

  function chainOf(endpoints: readonly string[], options: Partial<PresentChainOptions> = {}): PresentChain {
    const reader = createChainReader({ liveEndpoints: endpoints, log: quiet })
    readers.push(reader)
    return createPresentChain({ reader, network: () => 'emulator', log: quiet, now: () => now, ...options })
  }

  async function silence(answer: Promise<unknown>): Promise<string> {
    const error = await answer.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(ChainUnavailableError)
    return (error as ChainUnavailableError).message
  }

  it('shares one query between concurrent callers and caches the result briefly', async () => {
    const node = await start({ account: () => ({ A: 'code' }), script: () => cdc.array([]) })
    const chain = chainOf([node.endpoint])
    const accounts = await Promise.all([chain.account(address), chain.account(address), chain.account(address)])
    expect(accounts.map((account) => account?.contracts.get('A')?.toString())).to.deep.equal(['code', 'code', 'code'])
    const args = [cadence.address(address), cadence.int(5)]
    await Promise.all([chain.run('public_paths', args), chain.run('public_paths', args)])
    await chain.run('public_paths', [cadence.address(address), cadence.int(6)])
    expect([node.accounts.length, node.scripts.length]).to.deep.equal([1, 2])
    now = 2499
    await chain.account(address)
    expect(node.accounts).to.have.length(1)
    now = 2600
    await chain.account(address)
    expect(node.accounts).to.have.length(2)
  })

  it('reports and caches a missing account', async () => {
    const node = await start({ account: () => undefined })
    const chain = chainOf([node.endpoint])
    expect(await chain.account(address)).to.equal(undefined)
    expect(await chain.account(address)).to.equal(undefined)
    expect(node.accounts).to.have.length(1)
  })

  it('times out on slow nodes', async () => {
    const node = await start()
    node.latencyMs = 60_000
    expect(await silence(chainOf([node.endpoint], { timeLimitMs: 50 }).account(address))).to.equal(
      'no access node responded in time',
    )
  })

  it('reports failing nodes without details', async () => {
    const dead = await start()
    const { endpoint } = dead
    await dead.stop()
    expect(await silence(chainOf([endpoint]).account(address))).to.equal('no access node responds')
    for (const refusal of ['UNAVAILABLE', 'INTERNAL', 'RESOURCE_EXHAUSTED', 'UNIMPLEMENTED'] as const) {
      const node = await start()
      node.refusal = new Refusal(refusal, 'secret detail of 10.0.0.1')
      expect(await silence(chainOf([node.endpoint]).account(address)), refusal).to.equal('no access node responds')
    }
    const strange = await start({ script: () => ({ type: 'Nonsense', value: 1 }) })
    const answer = chainOf([strange.endpoint]).run('public_paths', [cadence.address(address), cadence.int(1)])
    expect(await silence(answer)).to.equal('an access node returned an invalid response')
  })

  it('returns script failures as results', async () => {
    const node = await start({
      script: () => refuse('INVALID_ARGUMENT', 'failed to execute script: [Error Code: 1101] cadence runtime error'),
    })
    const chain = chainOf([node.endpoint])
    for (let i = 0; i < 5; i++) {
      const error = await chain
        .run('storage_item', [cadence.address(address), cadence.string(`p${i}`)])
        .catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(ScriptFailedError)
    }
    expect(node.scripts).to.have.length(5)
  })

  it('falls back to another node', async () => {
    const [bad, good] = [await start(), await start()]
    bad.refusal = new Refusal('UNAVAILABLE', 'going down')
    const chain = chainOf([bad.endpoint, good.endpoint])
    expect((await chain.account(address))?.address).to.equal(address)
  })

  it('opens the circuit breaker for unresponsive nodes and probes with one query', async () => {
    const node = await start()
    node.refusal = new Refusal('INTERNAL', 'no')
    const chain = chainOf([node.endpoint])
    const ask = (i: number): Promise<unknown> => chain.account(`0x${String(i).padStart(16, '0')}`)
    for (let i = 0; i < 10; i++) await silence(ask(i))
    expect(node.accounts).to.have.length(3)
    now = 3001
    node.latencyMs = 5
    await Promise.all([10, 11, 12].map(async (i) => silence(ask(i))))
    expect(node.accounts).to.have.length(4)
    node.refusal = undefined
    now = 6003
    await ask(13)
    await Promise.all([14, 15].map(ask))
    expect(node.accounts).to.have.length(7)
  })

  it('logs changes of availability only', async () => {
    const node = await start()
    node.refusal = new Refusal('INTERNAL', 'no')
    const lines: Record<string, unknown>[] = []
    const log = pino(
      { level: 'trace' },
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    )
    const chain = chainOf([node.endpoint], { log })
    const ask = (i: number): Promise<unknown> => chain.account(`0x${String(i).padStart(16, '0')}`)
    for (let i = 0; i < 10; i++) await silence(ask(i))
    now = 3001
    await silence(ask(10))
    expect(lines.map(({ level, what }) => ({ level, what }))).to.deep.equal([{ level: 40, what: 'accounts' }])
    node.refusal = undefined
    now = 6003
    await ask(11)
    now = 9005
    await ask(12)
    expect(lines.slice(1).map(({ level, what }) => ({ level, what }))).to.deep.equal([{ level: 30, what: 'accounts' }])
  })

  it('limits concurrent queries', async () => {
    const node = await start()
    node.latencyMs = 20
    const chain = chainOf([node.endpoint], { maxInFlight: 2 })
    const answers = await Promise.allSettled([1, 2, 3].map((i) => chain.account(`0x000000000000000${i}`)))
    expect(answers.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected'])
    expect(await chain.account('0x0000000000000004')).to.not.equal(undefined)
  })
})
