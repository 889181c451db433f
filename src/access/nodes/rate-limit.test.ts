import { expect } from 'chai'
import { Stopwatch } from '../../../test/support/stopwatch.ts'
import { RateLimit } from './rate-limit.ts'

/** Duration of `count` sequential calls, ms. */
async function timeOf(limit: RateLimit, count: number): Promise<number> {
  const started = performance.now()
  for (let i = 0; i < count; i++) await limit.take()
  return performance.now() - started
}

describe('RateLimit', () => {
  it('does not limit calls without a rate', () => {
    const limit = new RateLimit()
    for (let i = 0; i < 1_000; i++) expect(limit.take()).to.equal(undefined)
    expect(limit).to.include({ requestsPerSecond: undefined, waitMs: 0 })
  })

  it('allows a burst, then limits calls to the rate', async () => {
    // The bucket refills from here on.
    const started = performance.now()
    const watch = new Stopwatch()
    const limit = new RateLimit(100, 10)
    for (let i = 0; i < 10; i++) expect(limit.take()).to.equal(undefined)
    await timeOf(limit, 20)
    expect(performance.now() - started).to.be.at.least(185)
    await watch.expectBelow(400)
  })

  it('serves urgent calls first, otherwise in order', async () => {
    const limit = new RateLimit(200, 1)
    await limit.take()
    const order: string[] = []
    const call = async (name: string, urgent = false) => {
      await limit.take(undefined, urgent)
      order.push(name)
    }
    await Promise.all([call('first'), call('second'), call('urgent', true)])
    expect(order).to.deep.equal(['urgent', 'first', 'second'])
  })

  it('removes aborted calls from the queue', async () => {
    const limit = new RateLimit(100, 1)
    await limit.take()
    const abort = new AbortController()
    const waiting = limit.take(abort.signal)
    const after = limit.take()
    const reason = new Error('enough')
    abort.abort(reason)
    let thrown: unknown
    await waiting?.catch((error: unknown) => (thrown = error))
    expect(thrown).to.equal(reason)
    await after
    expect(() => limit.take(abort.signal)).to.throw('enough')
  })

  it('slows down once for simultaneous rejections', () => {
    const limit = new RateLimit(100)
    for (let i = 0; i < 50; i++) limit.refused()
    expect(limit.requestsPerSecond).to.equal(70)
    expect(limit.waitMs).to.be.greaterThan(0)
  })

  it('uses the pace at rejection as the limit', () => {
    const limit = new RateLimit()
    for (let i = 0; i < 200; i++) void limit.take()
    limit.refused()
    expect(limit.requestsPerSecond).to.be.closeTo(140, 0.001)
  })

  it('applies the lowest rate of all users', () => {
    const limit = new RateLimit(100)
    limit.restrict(200)
    expect(limit.requestsPerSecond).to.equal(100)
    limit.restrict(10, 2)
    expect(limit.requestsPerSecond).to.equal(10)
  })

  it('rejects waiting calls on close', async () => {
    const limit = new RateLimit(1, 1)
    await limit.take()
    const waiting = limit.take()
    const reason = new Error('closed')
    limit.close(reason)
    let thrown: unknown
    await waiting?.catch((error: unknown) => (thrown = error))
    expect(thrown).to.equal(reason)
  })
})
