import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { ScriptCache } from './script-cache.ts'

describe('script cache', () => {
  it('knows every script for what it is, however alike they are', () => {
    // Few lengths and few letters, so that keys collide and places are taken away.
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

  it('gives the same entry again, and keeps no view of what it was given', () => {
    const cache = new ScriptCache()
    const answer = Buffer.from('....transaction {}....')
    const entry = cache.find(answer.subarray(4, 18))
    answer.fill(0)
    expect(entry.script.toString()).to.equal('transaction {}')
    expect(cache.find(Buffer.from('transaction {}'))).to.equal(entry)
  })

  it('starts anew when it is full, and takes a script of any size', () => {
    const cache = new ScriptCache()
    const first = cache.find(Buffer.from('transaction {}'))
    for (let i = 0; i < 20; i++) cache.find(Buffer.alloc(1024 * 1024, i))
    expect(cache.find(Buffer.alloc(20 * 1024 * 1024)).script.length).to.equal(20 * 1024 * 1024)
    expect(cache.find(Buffer.from('transaction {}'))).to.not.equal(first)
  })
})
