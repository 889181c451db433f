import { expect } from 'chai'
import fc from 'fast-check'
import { formatTransferCursor, parseTransferCursor, transferCursorPattern } from './queries.ts'

describe('transfer cursors', () => {
  it('round-trip', () => {
    const id = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
    const place = fc.record({
      height: fc.integer({ min: 0, max: 999_999_999_999_999 }),
      id,
      eventIndex: fc.nat(999_999_999),
      leg: fc.nat(9999),
    })
    fc.assert(
      fc.property(place, (one) => {
        const text = formatTransferCursor(one)
        expect(text).to.match(transferCursorPattern)
        expect(parseTransferCursor(text)).to.deep.equal(one)
      }),
    )
  })

  it('may be empty for the first page', () => {
    expect('').to.match(transferCursorPattern)
    expect(parseTransferCursor('')).to.equal(undefined)
  })
})
