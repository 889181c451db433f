import { expect } from 'chai'
import { readConfig } from '../../config.ts'
import { LeaseEnqueuer } from './lease-enqueuer.ts'
import type { EnqueuedLease } from './lease-enqueuer.ts'
import { HistoryBatcher, HistoryPause } from './rounds.ts'
import { WakeUp } from '../../platform/signals.ts'
import { planWorkers } from './plan-leases.ts'

const lease = (worker: string, from: number): EnqueuedLease => ({
  worker,
  from,
  to: from + 1,
  generation: 0,
  attempt: 0,
  isLive: false,
})

describe('WakeUp', () => {
  const signal = new AbortController().signal

  it('ends a sleep, also one that starts after the call', async () => {
    const wakeUp = new WakeUp()
    const sleep = wakeUp.sleep(3_600_000, signal)
    wakeUp.call()
    expect(await sleep).to.equal(true)
    wakeUp.call()
    wakeUp.call()
    expect(await wakeUp.sleep(3_600_000, signal)).to.equal(true)
    expect(await wakeUp.sleep(1, signal)).to.equal(false)
  })

  it('ends with the signal', async () => {
    const stopping = new AbortController()
    const sleep = new WakeUp().sleep(3_600_000, stopping.signal)
    stopping.abort()
    expect(await sleep).to.equal(false)
    expect(await new WakeUp().sleep(3_600_000, stopping.signal)).to.equal(false)
  })
})

describe('HistoryBatcher', () => {
  it('plans no history within the interval', () => {
    const batcher = new HistoryBatcher(100)
    expect(batcher.isDue(0)).to.equal(true)
    batcher.given(5)
    expect([104, 105].map((now) => batcher.isDue(now))).to.deep.equal([false, true])
  })
})

describe('HistoryPause', () => {
  const limits = (rest: HistoryPause, open: Readonly<Record<string, number>>, now: number): object =>
    Object.fromEntries(rest.limit(new Map(Object.entries(open)), now))

  it('sets no limit without a rest', () => {
    expect(limits(new HistoryPause(0), { a: 9, b: 0 }, 0)).to.deep.equal({ a: Infinity, b: Infinity })
  })

  it('allows one range, and the next one after the pause', () => {
    const rest = new HistoryPause(100)
    for (const now of [0, 50, 99]) expect(limits(rest, { a: 0 }, now)).to.deep.equal({})
    expect(limits(rest, { a: 0 }, 100)).to.deep.equal({ a: 1 })
    expect(limits(rest, { a: 1 }, 150)).to.deep.equal({})
    expect(limits(rest, { a: 0 }, 300)).to.deep.equal({})
    expect(limits(rest, { a: 0 }, 399)).to.deep.equal({})
    expect(limits(rest, { a: 0 }, 400)).to.deep.equal({ a: 1 })
    // Completed between two checks.
    expect(limits(rest, { a: 0 }, 401)).to.deep.equal({})
    expect(limits(rest, { a: 0 }, 500)).to.deep.equal({})
    expect(limits(rest, { a: 0 }, 501)).to.deep.equal({ a: 1 })
  })

  it('gives ranges to all idle workers together, without waiting for busy ones', () => {
    const rest = new HistoryPause(100)
    expect(limits(rest, { a: 0, b: 1, c: 1 }, 0)).to.deep.equal({})
    expect(limits(rest, { a: 0, b: 0, c: 1 }, 60)).to.deep.equal({})
    expect(limits(rest, { a: 0, b: 0, c: 1 }, 100), 'b has not rested').to.deep.equal({})
    expect(limits(rest, { a: 0, b: 0, c: 1 }, 160)).to.deep.equal({ a: 1, b: 1 })
  })
})

describe('LeaseEnqueuer', () => {
  it('makes one call at a time, with all waiting leases', async () => {
    const calls: string[] = []
    const gate = Promise.withResolvers<void>()
    const enqueuer = new LeaseEnqueuer(
      async (leases) => {
        calls.push(leases.map(({ worker, from }) => `${worker}${from}`).join(' '))
        await gate.promise
      },
      () => undefined,
    )
    enqueuer.give([])
    enqueuer.give([lease('a', 1), lease('b', 1), lease('a', 2)])
    enqueuer.give([lease('a', 3)])
    enqueuer.give([lease('b', 4)])
    expect(calls).to.deep.equal(['a1 b1 a2'])
    gate.resolve()
    await enqueuer.idle()
    expect(calls).to.deep.equal(['a1 b1 a2', 'a3 b4'])
  })

  it('drops refused and waiting leases and continues', async () => {
    const calls: string[] = []
    const errors: unknown[] = []
    const refusal = new Error('no answer')
    const enqueuer = new LeaseEnqueuer(
      async (leases) => {
        calls.push(leases.map(({ from }) => from).join(','))
        await Promise.resolve()
        if (calls.length === 1) throw refusal
      },
      (error) => errors.push(error),
    )
    enqueuer.give([lease('a', 1)])
    enqueuer.give([lease('a', 2)])
    await enqueuer.idle()
    enqueuer.give([lease('a', 3)])
    await enqueuer.idle()
    expect({ calls, errors }).to.deep.equal({ calls: ['1', '3'], errors: [refusal] })
  })

  it('measures how long a call is unanswered', async () => {
    const gate = Promise.withResolvers<void>()
    const enqueuer = new LeaseEnqueuer(
      () => gate.promise,
      () => undefined,
    )
    expect(enqueuer.unansweredMs).to.equal(0)
    enqueuer.give([lease('a', 1)])
    while (enqueuer.unansweredMs === 0) await new Promise(setImmediate)
    gate.resolve()
    await enqueuer.idle()
    expect(enqueuer.unansweredMs).to.equal(0)
  })
})

describe('planWorkers', () => {
  const workers = [
    { name: 'token_worker', follows: [] },
    { name: 'ft_holdings_worker', follows: ['token_worker'] },
  ]

  it('limits ranges by worker and chunk', () => {
    const config = readConfig({ TOKEN_WORKER_RANGE: '7', LIVE_DERIVERS_CHUNK: '20', HISTORY_DERIVERS_CHUNK: '500' }, {})
    expect(planWorkers(config, workers)).to.deep.equal([
      { name: 'token_worker', follows: [], liveChunk: 7, historyChunk: 7 },
      { name: 'ft_holdings_worker', follows: ['token_worker'], liveChunk: 20, historyChunk: 500 },
    ])
  })

  it('excludes disabled workers', () => {
    expect(
      planWorkers(readConfig({ ENABLE_TOKEN_WORKER: 'false' }, {}), workers).map(({ name }) => name),
    ).to.deep.equal(['ft_holdings_worker'])
    expect(planWorkers(readConfig({ RAW_ONLY: 'true' }, {}), workers)).to.deep.equal([])
  })
})
