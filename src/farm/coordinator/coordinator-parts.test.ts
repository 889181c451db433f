import { expect } from 'chai'
import { readConfig } from '../../config.ts'
import { LeaseEnqueuer } from './lease-enqueuer.ts'
import type { OfferedLease } from './lease-enqueuer.ts'
import { HistoryBatcher, HistoryRest } from './rounds.ts'
import { WakeUp } from '../../platform/signals.ts'
import { planWorkers } from './plan-leases.ts'

const lease = (worker: string, from: number): OfferedLease => ({
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
  it('allocates nothing to the worker within the interval', () => {
    const batcher = new HistoryBatcher(100)
    expect(batcher.limit('a', 64, 0)).to.equal(64)
    batcher.given('a', 5)
    expect(batcher.limit('a', 64, 104)).to.equal(0)
    expect(batcher.limit('b', 64, 104)).to.equal(64)
    expect(batcher.limit('a', 64, 105)).to.equal(64)
  })
})

describe('HistoryRest', () => {
  it('sets no limit without a rest', () => {
    expect(new HistoryRest(0).limit('a', 9, 55, 0)).to.equal(55)
  })

  it('allows one range, and the next one after the pause', () => {
    const rest = new HistoryRest(100)
    expect([0, 50, 99].map((now) => rest.limit('a', 0, 64, now))).to.deep.equal([0, 0, 0])
    expect(rest.limit('a', 0, 64, 100)).to.equal(1)
    expect(rest.limit('a', 1, 63, 150)).to.equal(0)
    expect(rest.limit('a', 0, 64, 300)).to.equal(0)
    expect(rest.limit('b', 0, 64, 350)).to.equal(0)
    expect(rest.limit('a', 0, 64, 400)).to.equal(1)
    // Completed between two checks.
    expect(rest.limit('a', 0, 64, 401)).to.equal(0)
    expect(rest.limit('a', 0, 64, 500)).to.equal(0)
    expect(rest.limit('a', 0, 64, 501)).to.equal(1)
  })
})

describe('LeaseEnqueuer', () => {
  it('makes one call per worker at a time, with all waiting leases', async () => {
    const calls: string[] = []
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const enqueuer = new LeaseEnqueuer(
      async (worker, leases) => {
        calls.push(`${worker} ${leases.map(({ from }) => from).join(',')}`)
        await gates.shift()?.promise
      },
      () => undefined,
    )
    const [first, second] = gates
    enqueuer.give([lease('a', 1), lease('b', 1), lease('a', 2)])
    enqueuer.give([lease('a', 3)])
    enqueuer.give([lease('a', 4)])
    expect(calls).to.deep.equal(['a 1,2', 'b 1'])
    first?.resolve()
    second?.resolve()
    await enqueuer.idle()
    expect(calls).to.deep.equal(['a 1,2', 'b 1', 'a 3,4'])
  })

  it('drops refused and waiting leases and continues', async () => {
    const calls: string[] = []
    const troubles: string[] = []
    const enqueuer = new LeaseEnqueuer(
      async (_, leases) => {
        calls.push(leases.map(({ from }) => from).join(','))
        await Promise.resolve()
        if (calls.length === 1) throw new Error('no answer')
      },
      (worker) => troubles.push(worker),
    )
    enqueuer.give([lease('a', 1)])
    enqueuer.give([lease('a', 2)])
    await enqueuer.idle()
    enqueuer.give([lease('a', 3)])
    await enqueuer.idle()
    expect({ calls, troubles }).to.deep.equal({ calls: ['1', '3'], troubles: ['a'] })
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
