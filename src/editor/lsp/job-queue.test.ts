import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { JobQueue } from './job-queue.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function queueOf(waiting: number[] = []): JobQueue {
  return new JobQueue({
    onFailure: (error) => {
      throw error
    },
    onChange: (bytes) => waiting.push(bytes),
  })
}

describe('job queue', () => {
  it('runs jobs in order, including jobs added meanwhile, and counts them until done', async () => {
    const waiting: number[] = []
    const queue = queueOf(waiting)
    const done: number[] = []
    const gate = Promise.withResolvers<void>()
    queue.add(1, () => gate.promise)
    for (let i = 0; i < 200; i++) {
      queue.add(1, () => {
        done.push(i)
        queue.add(1, () => void done.push(i + 200))
      })
    }
    expect([queue.length, waiting.at(-1)]).to.deep.equal([200, 201])
    gate.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.add(1, () => queue.add(1, () => resolve()))
    await promise
    expect(done).to.deep.equal(Array.from({ length: 400 }, (_, i) => i))
    await queue.close()
    expect(queue.length).to.equal(0)
  })

  it('releases finished jobs, even if the queue is never empty', async () => {
    const queue = queueOf()
    const held: WeakRef<object>[] = []
    const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const add = (number: number): void => {
      const message = { text: `message ${number}` }
      held.push(new WeakRef(message))
      queue.add(message.text.length, () => {
        if (number < 300 && message.text !== '') add(number + 2)
      })
    }
    const first = Promise.withResolvers<void>()
    queue.add(1, () => first.promise)
    for (const number of [0, 1]) add(number)
    first.resolve()
    // Requeues itself until all jobs have been added, then blocks the queue.
    const hold = (): Promise<void> | void => {
      if (held.length < 302) return queue.add(1, hold)
      queue.add(1, () => undefined)
      started.resolve()
      return end.promise
    }
    queue.add(1, hold)
    await started.promise
    // References created in this event loop turn live until its end.
    await new Promise(setImmediate)
    collectGarbage()
    // The last ones may still be queued.
    expect(held.filter((one) => one.deref() !== undefined)).to.have.length.below(3)
    end.resolve()
    await queue.close()
  })
})
