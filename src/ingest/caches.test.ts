import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { ScriptCache, ShapeCache } from './caches.ts'

describe('script cache', () => {
  it('distinguishes similar scripts', () => {
    // Few lengths and letters cause key collisions and evictions.
    const part = fc.constantFrom('a', 'b', 'import EVM')
    const script = fc.array(part, { maxLength: 9 }).map((parts) => Buffer.from(parts.join('')))
    fc.assert(
      fc.property(fc.array(script, { maxLength: 200 }), (scripts) => {
        const cache = new ScriptCache()
        for (const one of scripts) {
          const found = cache.find(one)
          expect(found.script.equals(one)).to.equal(true)
          expect(found.hash.equals(createHash('sha256').update(one).digest())).to.equal(true)
          expect(found.importsEvm).to.equal(one.includes('import EVM'))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('returns the cached entry and retains no view of its input', () => {
    const cache = new ScriptCache()
    const answer = Buffer.from('....transaction {}....')
    const entry = cache.find(answer.subarray(4, 18))
    answer.fill(0)
    expect(entry.script.toString()).to.equal('transaction {}')
    expect(cache.find(Buffer.from('transaction {}'))).to.equal(entry)
  })

  it('is cleared when full and accepts scripts of any size', () => {
    const cache = new ScriptCache()
    const first = cache.find(Buffer.from('transaction {}'))
    for (let i = 0; i < 20; i++) cache.find(Buffer.alloc(1024 * 1024, i))
    expect(cache.find(Buffer.alloc(20 * 1024 * 1024)).script.length).to.equal(20 * 1024 * 1024)
    expect(cache.find(Buffer.from('transaction {}'))).to.not.equal(first)
  })
})

describe('shape cache', () => {
  it('compares shapes by value', () => {
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

  it('is cleared when full', () => {
    const cache = new ShapeCache()
    const shape = { type: 'first', fields: [] }
    const first = cache.find(shape)
    for (let i = 0; i < 20; i++) cache.find({ type: String(i).padEnd(1024 * 1024), fields: [] })
    expect(cache.find(shape)).to.not.equal(first)
    expect(cache.find(shape).hash.equals(first.hash)).to.equal(true)
  })
})
