import { expect } from 'chai'
import { Backlog } from './backlog.ts'

/** Whether a promise has settled after all due timers have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  await new Promise(setImmediate)
  return settled
}

describe('Backlog', () => {
  const { signal } = new AbortController()
  const forEver = 1e6
  const filled = (options: { readTimeoutMs: number; onGivenUp?: () => void }): Backlog => {
    const backlog = new Backlog({ maxBytes: 100, restMs: forEver, ...options })
    for (const height of [7, 6, 5]) backlog.add(height, 40)
    return backlog
  }

  it('has capacity until unread blocks exceed the limit', async () => {
    const backlog = new Backlog({ maxBytes: 100, readTimeoutMs: forEver })
    for (const height of [7, 6]) backlog.add(height, 40)
    await backlog.capacity(signal)
    backlog.add(5, 40)
    const capacity = backlog.capacity(signal)
    backlog.read(5, 8)
    expect(await isSettled(capacity)).to.equal(false)
    backlog.remove(7)
    await capacity
    expect(backlog.bytes).to.equal(80)
  })

  it('counts a block once and ignores unknown ones', () => {
    const backlog = filled({ readTimeoutMs: forEver })
    backlog.add(6, 10)
    backlog.remove(4)
    expect(backlog.bytes).to.equal(90)
    backlog.clear()
    expect(backlog.bytes).to.equal(0)
  })

  it('stops waiting while no blocks are read', async () => {
    let givenUp = 0
    const backlog = filled({ readTimeoutMs: 20, onGivenUp: () => givenUp++ })
    const startedAt = performance.now()
    await backlog.capacity(signal)
    expect(performance.now() - startedAt).to.be.greaterThan(15)
    expect([givenUp, backlog.bytes]).to.deep.equal([1, 0])
    for (let height = 0; height < 10; height++) backlog.add(height, 40)
    await backlog.capacity(signal)
    expect(givenUp).to.equal(1)
  })

  it('extends the wait with every read', async () => {
    const backlog = filled({ readTimeoutMs: 200 })
    let readAt = Infinity
    setTimeout(() => {
      readAt = performance.now()
      backlog.read(7, 8)
    }, 100)
    await backlog.capacity(signal)
    expect(performance.now() - readAt).to.be.greaterThan(195)
  })

  it('does not extend the wait for other blocks', async () => {
    const backlog = filled({ readTimeoutMs: 20 })
    const reading = setInterval(() => backlog.read(8, 10), 1)
    await backlog.capacity(signal)
    clearInterval(reading)
  })

  it('pauses for a limited time', async () => {
    let givenUp = 0
    const backlog = new Backlog({ maxBytes: 1, readTimeoutMs: 1, restMs: 0, onGivenUp: () => givenUp++ })
    for (let height = 0; height < 3; height++) {
      backlog.add(height, 1)
      await backlog.capacity(signal)
    }
    expect(givenUp).to.equal(3)
  })

  it('releases stopped producers', async () => {
    const stop = new AbortController()
    const capacity = filled({ readTimeoutMs: forEver }).capacity(stop.signal)
    stop.abort(new Error('the process stops'))
    expect(await capacity.catch((error: unknown) => error)).to.have.property('message', 'the process stops')
  })
})
