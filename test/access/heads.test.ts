import { expect } from 'chai'
import type { ChainSource, ChainSourceOptions } from '../../src/access/chain-source.ts'
import type { HeadMessage } from '../../src/access/messages.ts'
import { NodesFailedError } from '../../src/access/chain-source.ts'
import type { Fault } from '../../simnode/node/faults.ts'
import type { ReplayNode, ReplayNodeOptions } from '../../simnode/replay/replay-node.ts'
import { sourceOf } from '../support/chain-source.ts'
import { startRecordedNode } from '../support/replay.ts'
import type { RecordingName } from '../support/replay.ts'

const headerStream = 'SubscribeBlockHeadersFromLatest'
const digestStream = 'SubscribeBlockDigestsFromLatest'
const noStream: Fault = { kind: 'status', code: 'UNIMPLEMENTED', methods: [headerStream, digestStream] }

describe('heads', () => {
  const nodes: ReplayNode[] = []
  const sources: ChainSource[] = []
  const aborts: AbortController[] = []

  async function start(
    options: Omit<ReplayNodeOptions, 'recording'> = {},
    name: RecordingName = 'base',
  ): Promise<ReplayNode> {
    const node = await startRecordedNode(name, options)
    nodes.push(node)
    return node
  }

  function source(of: readonly ReplayNode[], options: Partial<ChainSourceOptions> = {}): ChainSource {
    const made = sourceOf(of, { pollMs: 5, ...options })
    sources.push(made)
    return made
  }

  /** Reads heads one by one. */
  function follow(made: ChainSource): () => Promise<HeadMessage> {
    const abort = new AbortController()
    aborts.push(abort)
    const iterator = made.heads(abort.signal)[Symbol.asyncIterator]()
    return async () => {
      const next = await iterator.next()
      if (next.done === true) throw new Error('the heads ended')
      return next.value
    }
  }

  /** Reads heads until one of this height arrives. */
  async function until(next: () => Promise<HeadMessage>, height: number): Promise<HeadMessage> {
    for (;;) {
      const head = await next()
      if (head.height === height) return head
    }
  }

  afterEach(async () => {
    for (const abort of aborts.splice(0)) abort.abort()
    await Promise.all(sources.splice(0).map((made) => made.close()))
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })

  const ways: Record<string, { readonly faults: readonly Fault[]; readonly stream: boolean }> = {
    'a stream of headers': { faults: [], stream: true },
    'a stream of digests': {
      faults: [{ kind: 'status', code: 'UNIMPLEMENTED', methods: [headerStream] }],
      stream: true,
    },
    polling: { faults: [noStream], stream: false },
    'polling the legacy service': { faults: [{ kind: 'legacy-only' }], stream: false },
  }
  for (const [way, { faults, stream }] of Object.entries(ways)) {
    it(`arrive by ${way}, in order and without duplicates`, async () => {
      const node = await start({ head: 100, faults })
      const made = source([node])
      const next = follow(made)
      expect((await next()).height).to.equal(100)
      for (let height = 101; height <= 105; height++) {
        const coming = next()
        node.advance()
        const head = await coming
        expect(head.height).to.equal(height)
        expect(head.id).to.deep.equal(await made.blockIdAt(height))
        expect(head.parentId).to.deep.equal(await made.blockIdAt(height - 1))
      }
      expect(made.status()[0]?.features.stream).to.equal(stream)
      if (stream) expect(node.callCount('GetLatestBlockHeader')).to.equal(1)
    })
  }

  for (const [way, faults] of [
    ['streaming', []],
    ['polling', [noStream]],
  ] as const) {
    it(`report a rollback while ${way}`, async () => {
      const node = await start({ version: 'a', head: 15, faults }, 'fork')
      const next = follow(source([node]))
      await next()
      const coming = next()
      node.advance()
      const high = await coming
      node.switchTo('b', 12)
      const low = await until(next, 12)
      expect(low.height).to.be.lessThan(high.height)
      node.advance()
      expect((await until(next, 13)).parentId).to.deep.equal(low.id)
    })

    it(`resume after a disconnect while ${way}`, async () => {
      const node = await start({ head: 100, faults })
      const next = follow(source([node]))
      await next()
      const coming = next()
      node.advance()
      await coming
      node.dropConnections()
      node.advance()
      expect((await until(next, 102)).height).to.equal(102)
    })
  }

  it('continue from another node when the first stops', async () => {
    const [first, second] = [await start({ head: 110 }), await start({ head: 100 })]
    const next = follow(source([first, second]))
    expect((await next()).height).to.equal(110)
    await first.stop()
    second.setHead(111)
    expect((await until(next, 111)).height).to.equal(111)
  })

  it('start when the only node becomes available', async () => {
    const node = await start({ head: 100, faults: [{ kind: 'status', code: 'UNAVAILABLE', times: 5 }] })
    expect((await follow(source([node]))()).height).to.equal(100)
  })

  it('end with the signal', async () => {
    const node = await start({ head: 100 })
    const abort = new AbortController()
    const seen: number[] = []
    for await (const head of source([node]).heads(abort.signal)) {
      seen.push(head.height)
      abort.abort()
    }
    expect(seen).to.deep.equal([100])
  })

  it('are polled less often from a node with a rate limit', async () => {
    const node = await start({ head: 100, faults: [noStream] })
    const times: number[] = []
    const fifth = new Promise<void>((resolve) => {
      const when = () => {
        if (times.push(performance.now()) === 5) resolve()
        return false
      }
      node.inject({ kind: 'latency', ms: 0, methods: ['GetLatestBlockHeader'], when })
    })
    const next = follow(source([node], { requestsPerSecond: 40 }))
    await next()
    const coming = next()
    await fifth
    node.advance()
    await coming
    // A quarter of 40 calls a second: one per 100 ms.
    expect((times[4] as number) - (times[0] as number)).to.be.at.least(380)
  })

  describe('latestSealed', () => {
    it('returns the highest head of all nodes', async () => {
      const trio = [await start({ head: 90 }), await start({ head: 95 }), await start({ head: 92 })]
      expect((await source(trio).latestSealed()).height).to.equal(95)
    })

    it('does not wait for an unresponsive node', async () => {
      const [silent, node] = [
        await start({ faults: [{ kind: 'never-answer', methods: ['GetLatestBlockHeader'] }] }),
        await start({ head: 95 }),
      ]
      const made = source([silent, node])
      for (let i = 0; i < 5; i++) expect((await made.latestSealed()).height).to.equal(95)
      expect(silent.callCount('GetLatestBlockHeader')).to.equal(1)
    })

    it('fails while no node responds, and recovers', async () => {
      const node = await start({ head: 95 })
      const made = source([node])
      await made.chainId()
      const fault = node.inject({ kind: 'status', code: 'UNAVAILABLE' })
      let failure: unknown
      await made.latestSealed().catch((error: unknown) => (failure = error))
      expect(failure).to.be.instanceOf(NodesFailedError)
      fault.remove()
      expect((await made.latestSealed()).height).to.equal(95)
    })

    it('queries live nodes only', async () => {
      const [live, historic] = [await start({ head: 90 }), await start({ head: 280 })]
      expect((await source([live], { historicEndpoints: [historic.endpoint] }).latestSealed()).height).to.equal(90)
    })
  })

  it('know the chain', async () => {
    expect(await source([await start()]).chainId()).to.equal('flow-emulator')
  })
})
