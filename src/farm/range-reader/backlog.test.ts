import { expect } from 'chai'
import { Backlog } from './backlog.ts'

/** Whether a promise has settled when everything that is due has run. */
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
  const filled = (options: { patienceMs: number; onGivenUp?: () => void }): Backlog => {
    const backlog = new Backlog({ maxBytes: 100, restMs: forEver, ...options })
    for (const height of [7, 6, 5]) backlog.add(height, 40)
    return backlog
  }

  it('has room until what waits weighs too much, and again when blocks are gone', async () => {
    const backlog = new Backlog({ maxBytes: 100, patienceMs: forEver })
    for (const height of [7, 6]) backlog.add(height, 40)
    await backlog.room(signal)
    backlog.add(5, 40)
    const room = backlog.room(signal)
    backlog.read(5, 8)
    expect(await isSettled(room)).to.equal(false)
    backlog.remove(7)
    await room
    expect(backlog.bytes).to.equal(80)
  })

  it('counts a block that comes twice once, and one that it does not know not at all', () => {
    const backlog = filled({ patienceMs: forEver })
    backlog.add(6, 10)
    backlog.remove(4)
    expect(backlog.bytes).to.equal(90)
    backlog.clear()
    expect(backlog.bytes).to.equal(0)
  })

  it('waits no longer than blocks are read, and then for nothing for a while', async () => {
    let givenUp = 0
    const backlog = filled({ patienceMs: 20, onGivenUp: () => givenUp++ })
    const startedAt = performance.now()
    await backlog.room(signal)
    expect(performance.now() - startedAt).to.be.greaterThan(15)
    expect([givenUp, backlog.bytes]).to.deep.equal([1, 0])
    for (let height = 0; height < 10; height++) backlog.add(height, 40)
    await backlog.room(signal)
    expect(givenUp).to.equal(1)
  })

  it('has more patience with every block that is read', async () => {
    const backlog = filled({ patienceMs: 200 })
    let readAt = Infinity
    setTimeout(() => {
      readAt = performance.now()
      backlog.read(7, 8)
    }, 100)
    await backlog.room(signal)
    expect(performance.now() - readAt).to.be.greaterThan(195)
  })

  it('has none for reading what does not wait', async () => {
    const backlog = filled({ patienceMs: 20 })
    const reading = setInterval(() => backlog.read(8, 10), 1)
    await backlog.room(signal)
    clearInterval(reading)
  })

  it('rests for a time and no longer', async () => {
    let givenUp = 0
    const backlog = new Backlog({ maxBytes: 1, patienceMs: 1, restMs: 0, onGivenUp: () => givenUp++ })
    for (let height = 0; height < 3; height++) {
      backlog.add(height, 1)
      await backlog.room(signal)
    }
    expect(givenUp).to.equal(3)
  })

  it('lets go of who stops', async () => {
    const stop = new AbortController()
    const room = filled({ patienceMs: forEver }).room(stop.signal)
    stop.abort(new Error('the process stops'))
    expect(await room.catch((error: unknown) => error)).to.have.property('message', 'the process stops')
  })
})
