import { expect } from 'chai'
import { NowAndThen } from './now-and-then.ts'

describe('what is said now and then', () => {
  it('is said at once, then not before its time, with the number of those left out', () => {
    const lines = new NowAndThen(100)
    const due = [0, 1, 99, 100, 150, 200, 1000, 1099].map((now) => lines.due(now))
    expect(due).to.deep.equal([0, undefined, undefined, 2, undefined, 1, 0, undefined])
  })
})
