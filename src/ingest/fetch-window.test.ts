import { expect } from 'chai'
import { AdaptiveWidth, FetchWindow } from './fetch-window.ts'
import fc from 'fast-check'
import { FatalError, RetryableError } from '../platform/errors.ts'
import type { FetchedBlock } from '../access/messages.ts'
import type { FetchWindowOptions, WindowEntry } from './fetch-window.ts'

/** Simulates fetches of `fetchMs` and a consumer limited to `perSecond` at the current width. */
function settle(
  width: AdaptiveWidth,
  clock: { ms: number },
  fetchMs: number,
  perSecond: number,
  seconds: number,
): void {
  let due = 0
  const end = clock.ms + seconds * 1000
  while (clock.ms < end) {
    clock.ms += 10
    due += Math.min(perSecond, (width.value / fetchMs) * 1000) / 100
    for (; due >= 1; due--) {
      width.fetched(fetchMs)
      width.taken()
    }
  }
}

describe('adaptive width', () => {
  it('stays small for fast fetches', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 4, 1500, 5)
    expect(width.value).to.be.within(5, 24)
  })

  it('grows until the consumer is busy if fetches are slow', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 100, 800, 10)
    expect(width.value).to.be.within(160, 200)
  })

  it('adapts to a node that becomes faster', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 100, 800, 10)
    settle(width, clock, 10, 800, 10)
    expect(width.value).to.be.below(40)
  })

  it('is halved by a failure and recovers', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 100, 800, 10)
    const before = width.value
    width.failed()
    expect(width.value).to.equal(Math.floor(before / 2))
    for (let i = 0; i < 20; i++) width.failed()
    expect(width.value).to.equal(1)
    settle(width, clock, 100, 800, 10)
    expect(width.value).to.be.at.least(before - 5)
  })

  it('never exceeds its limit', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 2000, 5000, 30)
    expect(width.value).to.equal(256)
  })
})

type Fetch = FetchWindowOptions['source']['fetchBlock']

function fetched(height: number, byteLength = 100): FetchedBlock {
  const block = { id: Buffer.alloc(32), parentId: Buffer.alloc(32), height, timestampUs: 0, collectionIds: [] }
  return { block, transactions: [], transactionIds: [], results: [], missing: [], byteLength, endpoint: 'test' }
}

function open(fetchBlock: Fetch, options: Partial<FetchWindowOptions> & { last?: number } = {}): FetchWindow {
  let next = 0
  const last = options.last ?? Number.POSITIVE_INFINITY
  return new FetchWindow({
    source: { fetchBlock },
    nextHeight: () => (next <= last ? next++ : undefined),
    width: 4,
    isFixed: false,
    maxBytes: 1e9,
    signal: new AbortController().signal,
    onRetry: () => undefined,
    ...options,
  })
}

function heightOf(taken: WindowEntry): number {
  return 'lostHeight' in taken ? taken.lostHeight : taken.block.height
}

async function takeAll(window: FetchWindow, count: number): Promise<number[]> {
  const out: number[] = []
  while (out.length < count) if (await window.waitReady(1000)) out.push(heightOf(window.take()))
  return out
}

describe('fetch window', () => {
  it('returns blocks in order, regardless of the order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 12 }), async (scheduler, width) => {
        const window = open((height) => scheduler.schedule(Promise.resolve(fetched(height))), { width, last: 19 })
        const all = takeAll(window, 20)
        await scheduler.waitFor(all)
        expect(await all).to.deep.equal(Array.from({ length: 20 }, (_, i) => i))
      }),
      { numRuns: 50 },
    )
  })

  it('never exceeds its width and keeps a fixed width', async () => {
    let running = 0
    let max = 0
    const window = open(
      async (height) => {
        max = Math.max(max, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        return fetched(height)
      },
      { width: 3, isFixed: true },
    )
    await takeAll(window, 50)
    expect(max).to.equal(3)
    expect(window.width).to.equal(3)
    window.close()
  })

  it('retries retryable errors and returns other errors in order', async () => {
    const failures = new Map([[2, 2]])
    const window = open(async (height) => {
      const left = failures.get(height) ?? 0
      failures.set(height, left - 1)
      if (left > 0) throw new RetryableError('busy', 'busy')
      if (height === 5) throw new FatalError('broken', 'broken')
      return fetched(height)
    })
    expect(await takeAll(window, 5)).to.deep.equal([0, 1, 2, 3, 4])
    await window.waitReady(1000)
    expect(() => window.take()).to.throw(FatalError)
    window.close()
  })

  it('tries the next height immediately after one is skipped, regardless of its pause', async () => {
    const lastPauses = Promise.withResolvers<void>()
    const givenUp = new Set<number>()
    const window = open(() => Promise.reject(new RetryableError('broken', 'broken')), {
      last: 2,
      width: 3,
      firstPauseMs: 3_600_000,
      maxPauseMs: 3_600_000,
      onRetry: (height) => {
        if (height === 2) lastPauses.resolve()
      },
      onFailed: async (height) => {
        if (height === 0) await lastPauses.promise
        const isNext = height === 0 || givenUp.has(height - 1)
        if (!isNext) return undefined
        givenUp.add(height)
        return { lostHeight: height, reason: 'broken', endpoint: 'test' }
      },
    })
    expect(await takeAll(window, 3)).to.deep.equal([0, 1, 2])
    window.close()
  })

  it('limits memory: drops the furthest blocks, never the first, and fetches them later', async () => {
    const aborted: number[] = []
    let held = 0
    let max = 0
    const window = open(
      async (height, signal, onAnswerLength) => {
        signal?.addEventListener(
          'abort',
          () => {
            aborted.push(height)
            held -= 50
          },
          { once: true },
        )
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
        held += 50
        onAnswerLength?.(50)
        signal?.throwIfAborted()
        max = Math.max(max, held)
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
        return fetched(height, 50)
      },
      { width: 10, isFixed: true, maxBytes: 120, last: 30 },
    )
    const out: number[] = []
    while (out.length < 31) {
      if (!(await window.waitReady(1000))) continue
      out.push(heightOf(window.take()))
      held -= 50
      expect(window.bytes).to.be.at.most(120)
    }
    expect(out).to.deep.equal(Array.from({ length: 31 }, (_, i) => i))
    expect(aborted.length).to.be.greaterThan(0)
    expect(max).to.be.at.most(200)
  })

  it('accepts a single block over the limit', async () => {
    const window = open(
      async (height, _signal, onAnswerLength) => {
        onAnswerLength?.(5000)
        return fetched(height, 5000)
      },
      { maxBytes: 100, last: 3 },
    )
    expect(await takeAll(window, 4)).to.deep.equal([0, 1, 2, 3])
  })
})
