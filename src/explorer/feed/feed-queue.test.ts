import { expect } from 'chai'
import fc from 'fast-check'
import { FeedQueue } from './feed-queue.ts'

/** Tells everything that waits, in steps of at most `atOnce` heights, as words. */
function drain(queue: FeedQueue, atOnce = 10): string[] {
  const reported: string[] = []
  for (let step = queue.peek(atOnce); step !== undefined; step = queue.peek(atOnce)) {
    reported.push(step.kind === 'blocks' ? `${step.from}-${step.to - 1}` : `rollback ${step.from}`)
    queue.done(step)
  }
  return reported
}

describe('FeedQueue', () => {
  it('publishes each height once, upwards', () => {
    const queue = new FeedQueue(100)
    queue.announce(10, 12)
    queue.announce(12, 13)
    queue.announce(11, 14)
    expect(drain(queue)).to.deep.equal(['10-13'])
    queue.announce(12, 15)
    expect(drain(queue)).to.deep.equal(['14-14'])
  })

  it('splits long ranges', () => {
    const queue = new FeedQueue(100)
    queue.announce(0, 25)
    expect(drain(queue)).to.deep.equal(['0-9', '10-19', '20-24'])
  })

  it('drops the oldest heights of a full backlog', () => {
    const queue = new FeedQueue(5)
    queue.announce(0, 3)
    queue.announce(3, 1000)
    expect(drain(queue)).to.deep.equal(['995-999'])
  })

  it('does not publish heights between disjoint notifications', () => {
    const queue = new FeedQueue(100)
    queue.announce(0, 2)
    queue.announce(50, 52)
    expect(drain(queue)).to.deep.equal(['0-1', '50-51'])
  })

  it('publishes a rollback between earlier and later heights', () => {
    const queue = new FeedQueue(100)
    queue.announce(10, 15)
    queue.rollback(13)
    queue.announce(13, 16)
    expect(drain(queue)).to.deep.equal(['10-12', 'rollback 13', '13-15'])
  })

  it('merges consecutive rollbacks', () => {
    const queue = new FeedQueue(100)
    queue.announce(0, 5)
    drain(queue)
    queue.rollback(4)
    queue.rollback(2)
    queue.rollback(3)
    queue.announce(2, 3)
    expect(drain(queue)).to.deep.equal(['rollback 2', '2-2'])
  })

  it('does not repeat a step completed during a notification', () => {
    const queue = new FeedQueue(3)
    queue.announce(0, 3)
    const step = queue.peek(2)
    queue.announce(3, 9)
    if (step !== undefined) queue.done(step)
    expect(drain(queue)).to.deep.equal(['6-8'])
  })

  it('repeats a height only after a rollback, within the backlog limit', () => {
    const height = fc.integer({ min: 0, max: 60 })
    const length = fc.integer({ min: 0, max: 20 })
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('announce' as const), from: height, length }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), from: height }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('tell' as const) }) },
    )
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const queue = new FeedQueue(15)
        let top = -1
        const send = (): boolean => {
          const step = queue.peek(4)
          if (step === undefined) return false
          if (step.kind === 'rollback') top = Math.min(top, step.from - 1)
          else {
            expect(step.from).to.be.greaterThan(top)
            expect(step.to - step.from).to.be.within(1, 4)
            top = step.to - 1
          }
          queue.done(step)
          return true
        }
        for (const next of actions) {
          if (next.kind === 'announce') queue.announce(next.from, next.from + next.length)
          else if (next.kind === 'rollback') queue.rollback(next.from)
          else send()
        }
        let blocksLeft = 0
        for (let step = queue.peek(4); step !== undefined; step = queue.peek(4)) {
          if (step.kind === 'blocks') blocksLeft += step.to - step.from
          send()
        }
        expect(blocksLeft).to.be.at.most(15)
      }),
    )
  })
})
