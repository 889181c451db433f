import { expect } from 'chai'
import { ShapeCache } from './shape-cache.ts'

describe('shape cache', () => {
  it('knows a shape by what it says, whether it is the same object or not', () => {
    const cache = new ShapeCache()
    const shape = { type: 'A.01.C.E', fields: ['a', 'b'] }
    const known = cache.find(shape)
    expect(cache.find(shape)).to.equal(known)
    expect(cache.find({ type: 'A.01.C.E', fields: ['a', 'b'] })).to.equal(known)
    for (const other of [
      { type: 'A.01.C.F', fields: ['a', 'b'] },
      { type: 'A.01.C.E', fields: ['b', 'a'] },
      { type: 'A.01.C.E', fields: ['a'] },
    ]) {
      expect(cache.find(other)).to.not.equal(known)
      expect(cache.find(other).hash.equals(known.hash)).to.equal(false)
    }
  })

  it('starts anew when it is full', () => {
    const cache = new ShapeCache()
    const shape = { type: 'first', fields: [] }
    const first = cache.find(shape)
    for (let i = 0; i < 20; i++) cache.find({ type: String(i).padEnd(1024 * 1024), fields: [] })
    expect(cache.find(shape)).to.not.equal(first)
    expect(cache.find(shape).hash.equals(first.hash)).to.equal(true)
  })
})
