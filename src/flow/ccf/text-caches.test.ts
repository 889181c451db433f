import { expect } from 'chai'
import { ShortTexts } from './text-caches.ts'

import * as fc from 'fast-check'

describe('short text cache', () => {
  const texts = new ShortTexts()
  const of = (text: string): string | undefined => {
    const bytes = Buffer.from(`before${text}after`)
    return texts.of(bytes, 6, bytes.length - 5)
  }

  it('returns the text of the bytes, independent of earlier lookups', () => {
    const unit = fc.integer({ min: 1, max: 127 }).map((code) => String.fromCharCode(code))
    const ascii = fc.string({ minLength: 1, maxLength: 90, unit })
    const similar = fc.integer({ min: 0, max: 9 }).map((n) => `A.165465339904${n}a61.FlowToken.Vault`)
    fc.assert(
      fc.property(fc.array(fc.oneof(ascii, similar), { maxLength: 30 }), (all) => {
        for (const text of [...all, ...all]) expect(of(text)).to.equal(text)
      }),
      { numRuns: 500 },
    )
  })

  it('skips text that is not plain ASCII', () => {
    for (const text of ['', '\0', 'a\0b', 'ä', '\u{1f600}', 'x'.repeat(97)]) expect(of(text), text).to.equal(undefined)
    expect(texts.of(Buffer.from([0x41, 0xff]), 0, 2)).to.equal(undefined)
  })
})
