import { expect } from 'chai'
import fc from 'fast-check'
import { EventTypeCache } from './event-type-cache.ts'

describe('EventTypeCache', () => {
  it('gives the text of the bytes, however many types share a small table', () => {
    const cache = new EventTypeCache(8)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), fc.nat({ max: 9 }), (text, offset) => {
        const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text), Buffer.from('beyond')])
        expect(cache.text(bytes, offset, bytes.length - 6)).to.equal(Buffer.from(text).toString())
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps its own copy of the bytes, not the answer that they came in', () => {
    const cache = new EventTypeCache()
    const answer = Buffer.from('A.1654653399040a61.FlowToken.TokensDeposited')
    const again = Buffer.from(answer)
    cache.text(answer, 0, answer.length)
    answer.fill(0)
    expect(cache.text(again, 0, again.length)).to.equal('A.1654653399040a61.FlowToken.TokensDeposited')
    expect(cache.text(answer, 0, answer.length)).to.equal('\0'.repeat(answer.length))
  })
})
