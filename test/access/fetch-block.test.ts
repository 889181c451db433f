import { mock } from 'node:test'
import { expect } from 'chai'
import type { ChainSource, ChainSourceOptions } from '../../src/access/chain-source.ts'
import type { FetchedBlock } from '../../src/access/messages.ts'
import { NodeRegistry } from '../../src/access/nodes/node-registry.ts'
import {
  BelowRootError,
  InconsistentResponseError,
  NodesFailedError,
  NotYetError,
} from '../../src/access/chain-source.ts'
import type { Fault, FaultCall } from '../../simnode/node/faults.ts'
import type { ReplayNode, ReplayNodeOptions } from '../../simnode/replay/replay-node.ts'
import { bytesOf, numberOf } from '../../simnode/node/wire.ts'
import { contentOf, comparableResult, sourceOf } from '../support/chain-source.ts'
import { startRecordedNode } from '../support/replay.ts'

const bulkResults = 'GetTransactionResultsByBlockID'
const bulkBodies = 'GetTransactionsByBlockID'
/** A block with several user transactions, one of them failed. */
const height = 120

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

describe('fetchBlock', () => {
  const nodes: ReplayNode[] = []
  const sources: ChainSource[] = []
  let clean: Map<number, FetchedBlock>

  async function start(options: Omit<ReplayNodeOptions, 'recording'> = {}): Promise<ReplayNode> {
    const node = await startRecordedNode('base', options)
    nodes.push(node)
    return node
  }

  function source(
    of: readonly ReplayNode[],
    options: Partial<ChainSourceOptions> = {},
    registry = new NodeRegistry(),
  ): ChainSource {
    const made = sourceOf(of, options, registry)
    sources.push(made)
    return made
  }

  async function faulty(...faults: Fault[]): Promise<ReplayNode> {
    return start({ faults })
  }

  function cleanBlock(at: number): FetchedBlock {
    const block = clean.get(at)
    if (block === undefined) throw new Error(`height ${at} was not fetched`)
    return block
  }

  function expectClean(block: FetchedBlock): void {
    expect(contentOf(block)).to.deep.equal(contentOf(cleanBlock(block.block.height)))
  }

  before(async () => {
    await using node = await startRecordedNode('base')
    const healthy = sourceOf([node])
    const heights = Array.from({ length: 281 }, (_, i) => i)
    clean = new Map(await Promise.all(heights.map(async (at) => [at, await healthy.fetchBlock(at)] as const)))
    await healthy.close()
  })

  afterEach(async () => {
    await Promise.all(sources.splice(0).map((made) => made.close()))
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })

  it('fetches every recorded block with a matching parent id', () => {
    let events = 0
    for (const [at, { block, transactions, results, missing }] of clean) {
      expect(block.height).to.equal(at)
      if (at > 0) expect(block.parentId.equals(cleanBlock(at - 1).block.id)).to.equal(true)
      expect(results.length).to.equal(transactions.length)
      expect(missing).to.deep.equal([])
      for (const result of results) events += result?.events.length ?? 0
    }
    expect(events).to.equal(7626)
    expect(clean.size).to.equal(281)
  })

  it('accepts a root block without transactions', () => {
    expect(cleanBlock(0)).to.deep.include({ transactions: [], transactionIds: [], results: [], missing: [] })
  })

  it('does not treat INTERNAL at another height as a root block', async () => {
    const empty = [...clean.values()].find(({ block }) => block.height > 0 && block.collectionIds.length === 0)
    const at = empty?.block.height ?? -1
    const node = await faulty({
      kind: 'status',
      code: 'INTERNAL',
      methods: [bulkResults, bulkBodies, 'GetTransactionResultByIndex'],
      heights: { from: at, to: at },
    })
    expect(await rejection(source([node], { attempts: 2 }).fetchBlock(at))).to.be.instanceOf(NodesFailedError)
  })

  describe('with one node', () => {
    const passing: Record<string, Fault> = {
      'is unavailable': { kind: 'status', code: 'UNAVAILABLE', times: 2 },
      'drops the connection': { kind: 'drop-connection', methods: [bulkResults], times: 1 },
      'sends garbage': { kind: 'garbage', methods: [bulkBodies], times: 1 },
      'leaves out results': { kind: 'fewer-results', times: 1 },
      'has no results yet': { kind: 'missing-results', times: 2 },
      'never answers one call': { kind: 'never-answer', methods: [bulkResults], times: 1 },
      'is over its limit': {
        kind: 'status',
        code: 'RESOURCE_EXHAUSTED',
        message: 'rate limit reached, please retry later.',
        times: 2,
      },
    }
    for (const [what, fault] of Object.entries(passing)) {
      it(`that ${what}, retries`, async () => {
        const node = await start()
        const made = source([node], { timeoutMs: 200 })
        await made.latestSealed()
        const injected = node.inject(fault)
        expectClean(await made.fetchBlock(height))
        expect(injected.hits).to.equal(fault.times)
      })
    }

    it('that fails repeatedly, reports all errors', async () => {
      const node = await faulty({
        kind: 'status',
        code: 'UNAVAILABLE',
        message: 'no upstream',
        methods: ['GetBlockByHeight'],
      })
      const error = await rejection(source([node], { attempts: 3 }).fetchBlock(height))
      expect(error)
        .to.be.instanceOf(NodesFailedError)
        .with.property('message')
        .that.matches(/no upstream/)
      expect(node.callCount('GetBlockByHeight')).to.equal(3)
    })

    it('that fails internally at one height, continues with the others', async () => {
      const methods = [bulkResults, 'GetTransactionResultByIndex']
      const node = await faulty({ kind: 'status', code: 'INTERNAL', methods, heights: { from: height, to: height } })
      const made = source([node])
      const failing = rejection(made.fetchBlock(height))
      for (let at = 1; at <= 100; at++) expectClean(await made.fetchBlock(at))
      expect(made.status()[0]?.resting).to.equal(undefined)
      expect(await failing).to.be.instanceOf(NodesFailedError)
    })

    it('that returns inconsistent data, reports it', async () => {
      const node = await faulty({ kind: 'fewer-results' })
      const error = await rejection(source([node], { attempts: 2 }).fetchBlock(height))
      expect(error)
        .to.be.instanceOf(NodesFailedError)
        .with.property('cause')
        .that.is.instanceOf(InconsistentResponseError)
    })

    it('rejects with the reason of an abort', async () => {
      const node = await faulty({ kind: 'never-answer', methods: [bulkResults] })
      const made = source([node])
      await made.chainId()
      const abort = new AbortController()
      const failing = rejection(made.fetchBlock(height, abort.signal))
      const reason = new Error('enough')
      abort.abort(reason)
      expect(await failing).to.equal(reason)
    })
  })

  describe('with a second node', () => {
    const lasting: Record<string, Fault> = {
      'is unavailable': { kind: 'status', code: 'UNAVAILABLE' },
      'never answers': { kind: 'never-answer', methods: ['GetBlockByHeight', bulkBodies, bulkResults] },
      'is too slow': { kind: 'latency', ms: 2_000, methods: ['GetBlockByHeight'] },
      'drops every connection': { kind: 'drop-connection' },
      'sends garbage': { kind: 'garbage', methods: ['GetBlockByHeight'] },
      'leaves out results': { kind: 'fewer-results' },
      'lacks results': { kind: 'missing-results' },
      'fails inside': { kind: 'status', code: 'INTERNAL', methods: ['GetBlockByHeight'] },
      'refuses every call': {
        kind: 'status',
        code: 'RESOURCE_EXHAUSTED',
        message: 'rate limit reached',
        methods: ['GetBlockByHeight'],
      },
    }
    for (const [what, fault] of Object.entries(lasting)) {
      it(`fetches the block there if the first ${what}`, async () => {
        const [bad, good] = [await faulty(fault), await start()]
        const made = source([bad, good], { timeoutMs: 100 })
        const blocks = await Promise.all([height, height + 1, height + 2].map((at) => made.fetchBlock(at)))
        for (const block of blocks) {
          expectClean(block)
          expect(block.endpoint).to.equal(good.endpoint)
        }
      })
    }

    it('pauses the failing node and reports why', async () => {
      const [bad, good] = [await faulty({ kind: 'status', code: 'UNAVAILABLE', message: 'no upstream' }), await start()]
      const made = source([bad, good])
      // The clock is stopped, so the pause does not end during the test.
      const now = performance.now()
      const clock = mock.method(performance, 'now', () => now)
      try {
        for (let at = 1; at <= 50; at++) await made.fetchBlock(at)
        const status = made.status().find(({ endpoint }) => endpoint === bad.endpoint)
        expect(status?.failures).to.be.lessThan(10)
        expect(status?.resting?.reason).to.match(/no upstream/)
      } finally {
        clock.mock.restore()
      }
    })

    it('distributes requests among equal nodes', async () => {
      const pair = [await start(), await start()]
      const made = source(pair)
      await Promise.all(Array.from({ length: 40 }, (_, i) => made.fetchBlock(i + 1)))
      for (const node of pair) expect(node.callCount(bulkResults)).to.equal(20)
    })

    it('requests all parts of a height from one node', async () => {
      const heightsOf = new Map<ReplayNode, Set<number>>()
      const pair = [await start(), await start()]
      for (const node of pair) {
        const seen = new Set<number>()
        heightsOf.set(node, seen)
        const when = (call: FaultCall) => {
          if (call.height !== undefined) seen.add(call.height)
          return false
        }
        node.inject({ kind: 'latency', ms: 0, when })
      }
      const made = source(pair)
      await Promise.all(Array.from({ length: 40 }, (_, i) => made.fetchBlock(i + 1)))
      const [first, second] = pair.map((node) => heightsOf.get(node) ?? new Set<number>()) as [Set<number>, Set<number>]
      expect(first.size + second.size).to.equal(40)
      expect(first.isDisjointFrom(second)).to.equal(true)
    })
  })

  describe('below the root', () => {
    const rootHeight = 100
    const noVersion: Fault = { kind: 'status', code: 'UNIMPLEMENTED', methods: ['GetNodeVersionInfo'] }

    it('reports the root height stated by the node', async () => {
      const node = await start({ sporkRootHeight: rootHeight })
      const made = source([node])
      expect(await rejection(made.fetchBlock(99)))
        .to.be.instanceOf(BelowRootError)
        .and.include({ height: 99, rootHeight })
      expect(await made.lowestReachable()).to.equal(rootHeight)
      expect(node.callCount('GetBlockByHeight')).to.equal(0)
      expectClean(await made.fetchBlock(rootHeight))
    })

    it('reports the root height parsed from the error', async () => {
      const node = await start({ sporkRootHeight: rootHeight, faults: [noVersion] })
      const made = source([node])
      expect(await made.lowestReachable()).to.equal(0)
      expect(await rejection(made.fetchBlock(99)))
        .to.be.instanceOf(BelowRootError)
        .and.include({ rootHeight })
      expect(await rejection(made.blockIdAt(98)))
        .to.be.instanceOf(BelowRootError)
        .and.include({ rootHeight })
      expect(node.callCount('GetBlockByHeight') + node.callCount('GetBlockHeaderByHeight')).to.equal(1)
      expect(await made.lowestReachable()).to.equal(rootHeight)
    })

    for (const [how, faults] of [
      ['known', []],
      ['learned', [noVersion]],
    ] as const) {
      it(`of one node, uses the other: ${how}`, async () => {
        const newer = await start({ sporkRootHeight: rootHeight, faults })
        const older = await start({ faults })
        const made = source([newer], { historicEndpoints: [older.endpoint] })
        for (const at of [99, 100, 50]) expectClean(await made.fetchBlock(at))
        expect((await made.fetchBlock(99)).endpoint).to.equal(older.endpoint)
        expect((await made.fetchBlock(150)).endpoint).to.equal(newer.endpoint)
      })
    }
  })

  describe('above the head', () => {
    it('reports that the block is not available yet', async () => {
      const node = await start({ head: 119 })
      expect(await rejection(source([node]).fetchBlock(height))).to.be.instanceOf(NotYetError)
    })

    it('of one node, uses the other', async () => {
      const [behind, ahead] = [await start({ head: 60 }), await start()]
      expect((await source([behind, ahead]).fetchBlock(height)).endpoint).to.equal(ahead.endpoint)
    })

    it('does not wait for paused nodes', async () => {
      const [node, dead] = [await start({ head: 119 }), await faulty({ kind: 'status', code: 'UNAVAILABLE' })]
      const made = source([node, dead])
      await made.latestSealed()
      const calls = dead.callCount()
      expect(await rejection(made.fetchBlock(height))).to.be.instanceOf(NotYetError)
      expect(dead.callCount()).to.equal(calls)
    })
  })

  describe('when results are missing', () => {
    it('near the head, reports that the block is not available yet', async () => {
      const node = await faulty({ kind: 'missing-results' })
      expect(await rejection(source([node]).fetchBlock(height))).to.be.instanceOf(NotYetError)
    })

    it('far below the head on all nodes, returns the block without results and records the reason', async () => {
      const pair = [await faulty({ kind: 'missing-results' }), await faulty({ kind: 'missing-results' })]
      const block = await source(pair, { settledDepth: 100 }).fetchBlock(height)
      const { transactions } = cleanBlock(height)
      expect(block.transactions).to.deep.equal(transactions)
      expect(block.results).to.deep.equal(transactions.map(() => undefined))
      expect(block.missing.map(({ part, index }) => [part, index])).to.deep.equal(
        transactions.map((_, index) => ['result', index]),
      )
      for (const { reason } of block.missing) expect(reason).to.match(/could not find execution receipts/)
    })

    it('keeps results that are available individually', async () => {
      const node = await faulty(
        { kind: 'missing-results', methods: [bulkResults] },
        {
          kind: 'missing-results',
          methods: ['GetTransactionResultByIndex'],
          when: ({ request }) => numberOf(request, 2) === 1,
        },
      )
      const block = await source([node], { settledDepth: 100 }).fetchBlock(height)
      const { results } = cleanBlock(height)
      expect(block.missing.map(({ index }) => index)).to.deep.equal([1])
      expect(block.results.map(comparableResult)).to.deep.equal(
        results.map((result, i) => (i === 1 ? undefined : comparableResult(result))),
      )
    })

    it('does not record results as lost while a node is unreachable', async () => {
      const [lacking, dead] = [
        await faulty({ kind: 'missing-results' }),
        await faulty({ kind: 'status', code: 'UNAVAILABLE' }),
      ]
      const error = await rejection(source([lacking, dead], { settledDepth: 100, attempts: 3 }).fetchBlock(height))
      expect(error).to.be.instanceOf(NodesFailedError)
    })

    it('keeps a block with lost transactions', async () => {
      const node = await faulty({
        kind: 'status',
        code: 'NOT_FOUND',
        methods: [bulkBodies, 'GetTransaction'],
        message: 'no collection',
      })
      const block = await source([node], { settledDepth: 100 }).fetchBlock(height)
      expect(block.block).to.deep.equal(cleanBlock(height).block)
      expect(block).to.deep.include({ transactions: [], results: [] })
      expect(block.missing).to.have.length(1)
      expect(block.missing[0])
        .to.include({ part: 'transactions' })
        .with.property('reason')
        .that.matches(/no collection/)
    })
  })

  describe('when bulk calls fail', () => {
    const larger = {
      code: 'RESOURCE_EXHAUSTED',
      message: 'grpc: trying to send message larger than max (70000000 vs. 67108864)',
    } as const
    const results: Record<string, Fault> = {
      'too large': { kind: 'status', ...larger, methods: [bulkResults] },
      'an error text that was lost': { kind: 'lost-error-message' },
      'an execution node out of reach': {
        kind: 'status',
        code: 'INTERNAL',
        message: 'failed to retrieve result from any execution node',
        methods: [bulkResults],
      },
    }
    for (const [why, fault] of Object.entries(results)) {
      it(`fetches results individually: ${why}`, async () => {
        const node = await start()
        const injected = node.inject(fault)
        const failed = [...clean.values()].find(({ results: all }) => all.some((result) => result?.statusCode === 1))
        const at = failed?.block.height ?? -1
        const block = await source([node]).fetchBlock(at)
        expect(injected.hits).to.equal(1)
        expect(block.transactions).to.deep.equal(cleanBlock(at).transactions)
        expect(block.results.map(comparableResult)).to.deep.equal(cleanBlock(at).results.map(comparableResult))
        expect(node.callCount('GetTransactionResultByIndex')).to.equal(block.transactions.length)
      })
    }

    it('accepts a large response', async () => {
      const node = await faulty({ kind: 'oversized', bytes: 20_000_000, by: 'unknown-field' })
      const block = await source([node]).fetchBlock(height)
      expectClean(block)
      expect(block.byteLength).to.be.greaterThan(20_000_000)
    })

    it('fetches everything in parts if both responses are too large', async () => {
      const node = await faulty({ kind: 'status', ...larger, methods: [bulkResults, bulkBodies] })
      const block = await source([node]).fetchBlock(height)
      const expected = cleanBlock(height)
      expect(block.transactionIds).to.deep.equal(expected.transactionIds)
      expect(block.transactions).to.deep.equal(expected.transactions)
      expect(block.results.map(comparableResult)).to.deep.equal(expected.results.map(comparableResult))
    })

    it('requests JSON-CDC if CCF is unavailable', async () => {
      const asksCcf = ({ request }: FaultCall) => numberOf(request, 2) === 1
      const message = 'failed to convert events in blockID 8a: could not convert event payload from CCF to Json'
      const node = await faulty({ kind: 'status', code: 'INTERNAL', message, methods: [bulkResults], when: asksCcf })
      const { results: all } = await source([node]).fetchBlock(height)
      const types = (list: FetchedBlock['results']) => list.map((result) => result?.events.map(({ type }) => type))
      expect(types(all)).to.deep.equal(types(cleanBlock(height).results))
      for (const { payload } of all.flatMap((result) => result?.events ?? []))
        expect(payload.subarray(0, 1).toString()).to.equal('{')
    })

    it('does not treat a node as lacking bulk calls after it has served them', async () => {
      const node = await start()
      const made = source([node])
      expectClean(await made.fetchBlock(height))
      node.inject({ kind: 'no-bulk-calls', times: 3 })
      expectClean(await made.fetchBlock(height + 1))
      expect(made.status()[0]?.features).to.include({ bulk: true })
    })

    for (const [which, faults] of [
      ['without them', [{ kind: 'no-bulk-calls' }]],
      ['of the legacy service', [{ kind: 'legacy-only' }, { kind: 'no-bulk-calls' }]],
    ] as const satisfies [string, Fault[]][]) {
      it(`fetches user transactions from a node ${which} and remembers its capabilities`, async () => {
        const node = await faulty(...faults)
        const made = source([node])
        for (const at of [height, height + 1]) {
          const block = await made.fetchBlock(at)
          const expected = cleanBlock(at)
          const users = expected.results.filter(
            (result) => result?.collectionId.some((byte) => byte !== 0) === true,
          ).length
          expect(users).to.be.greaterThan(0)
          expect(block.transactionIds).to.deep.equal(expected.transactionIds.slice(0, users))
          expect(block.transactions).to.deep.equal(expected.transactions.slice(0, users))
          expect(block.results).to.have.length(users)
          expect(block.missing).to.deep.equal([])
        }
        expect(node.callCount(bulkResults)).to.be.at.most(1)
        expect(made.status()[0]?.features).to.include({ bulk: false, legacy: which === 'of the legacy service' })
      })
    }
  })

  describe('with a rate limit', () => {
    it('learns the limit of a node from its rejections', async () => {
      const node = await start()
      const made = source([node])
      await made.chainId()
      const limit = node.inject({ kind: 'rate-limit', perSecond: 60, burst: 10 })
      const blocks = await Promise.all(Array.from({ length: 40 }, (_, i) => made.fetchBlock(i + 1)))
      for (const block of blocks) expectClean(block)
      expect(made.status()[0]?.requestsPerSecond).to.be.within(0.5, 120)
      expect(limit.hits).to.be.lessThan(120)
    })

    it('applies the configured rate across all sources of a node', async () => {
      const node = await start()
      const registry = new NodeRegistry()
      const pair = [1, 2].map(() => source([node], { requestsPerSecond: 50, burst: 5 }, registry))
      const started = performance.now()
      await Promise.all(pair.flatMap((made) => [1, 2, 3, 4, 5].map((at) => made.fetchBlock(at))))
      const minMs = ((node.callCount() - 5) / 50) * 1_000
      expect(node.callCount()).to.be.at.least(30)
      expect(performance.now() - started).to.be.at.least(minMs * 0.95)
    })
  })

  it('returns the id of a block', async () => {
    const node = await start()
    expect(await source([node]).blockIdAt(height)).to.deep.equal(cleanBlock(height).block.id)
  })

  it('reports every call', async () => {
    const node = await faulty({ kind: 'status', code: 'UNAVAILABLE', methods: ['GetBlockByHeight'], times: 1 })
    const reports: string[] = []
    let bytes = 0
    const made = source([node], {
      onCall: (report) => {
        reports.push(`${report.method} ${report.code}`)
        if (report.method.includes('Block')) bytes += report.bytes
      },
    })
    const block = await made.fetchBlock(height)
    expect(reports.slice(-5)).to.have.members([
      'GetBlockByHeight UNAVAILABLE',
      'GetBlockByHeight OK',
      `${bulkBodies} OK`,
      `${bulkResults} OK`,
      'GetNodeVersionInfo OK',
    ])
    expect(bytes).to.equal(block.byteLength)
  })

  it('reports the length of every response', async () => {
    const lengths: number[] = []
    const block = await source([await start()]).fetchBlock(height, undefined, (bytes) => lengths.push(bytes))
    expect(lengths).to.have.length(3)
    expect(lengths.reduce((sum, bytes) => sum + bytes, 0)).to.equal(block.byteLength)
  })

  it('requests the light block by height', async () => {
    const requests: Buffer[] = []
    const node = await start()
    node.inject({
      kind: 'latency',
      ms: 0,
      methods: ['GetBlockByHeight'],
      when: ({ request }) => requests.push(request) === 0,
    })
    await source([node]).fetchBlock(height)
    expect(
      requests.map((request) => [numberOf(request, 1), numberOf(request, 3), bytesOf(request, 2).length]),
    ).to.deep.equal([[height, 0, 0]])
  })
})
