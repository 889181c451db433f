import assert from 'node:assert/strict'
import fc from 'fast-check'
import { TextPlaces } from './text-places.ts'

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', 'é', '😀', '\uD83D', '\uDE00', '漢', 'a', '\u2028', '👩‍👩‍👧'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

describe('text positions', () => {
  it('have the same byte offsets as an encoder', () => {
    fc.assert(
      fc.property(text, fc.nat(), (given, seed) => {
        const places = new TextPlaces(given)
        let offset = given.length === 0 ? 0 : seed % (given.length + 1)
        if ((given.codePointAt(offset - 1) ?? 0) > 0xffff && offset > 0) offset--
        const byte = Buffer.byteLength(given.slice(0, offset))
        assert.equal(places.byteOfOffset(offset), byte)
        assert.equal(places.offsetOfByte(byte), offset)
      }),
    )
  })

  it('round-trip by line and character, except within a line break', () => {
    fc.assert(
      fc.property(text, fc.nat(), (given, seed) => {
        const places = new TextPlaces(given)
        const offset = given.length === 0 ? 0 : seed % (given.length + 1)
        const { line, character } = places.positionAt(offset)
        const found = places.offsetAt({ line, character })
        assert.ok(found === offset || (given[offset - 1] === '\r' && given[offset] === '\n' && found === offset - 1))
        assert.equal(line, given.slice(0, found).split(/\r\n|\r|\n/).length - 1)
      }),
    )
  })

  it('beyond the text are clamped', () => {
    const places = new TextPlaces('ab\r\ncd')
    assert.equal(places.offsetAt({ line: 0, character: 99 }), 2)
    assert.equal(places.offsetAt({ line: 9, character: 0 }), 6)
    assert.deepEqual(places.positionAt(99), { line: 1, character: 2 })
    assert.equal(places.offsetOfByte(99), 6)
    assert.deepEqual(new TextPlaces('é😀x').rangeOfBytes(2, 5), {
      start: { line: 0, character: 1 },
      end: { line: 0, character: 3 },
    })
  })
})
