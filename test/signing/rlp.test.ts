import { expect } from 'chai'
import fc from 'fast-check'
import { decode, encode } from 'rlp'
import type { Input } from 'rlp'
import { decodeRlpStrings, encodeRlp } from '../../clients/signing/rlp.ts'
import type { RlpInput } from '../../clients/signing/rlp.ts'

const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })

/** As the library decodes it; undefined unless it is a list of strings. */
function stringsOf(input: Uint8Array): readonly Uint8Array[] | undefined {
  try {
    const decoded = input.length === 0 ? undefined : decode(input)
    return Array.isArray(decoded) && decoded.every((one) => one instanceof Uint8Array)
      ? decoded.map((one) => new Uint8Array(one))
      : undefined
  } catch {
    return undefined
  }
}

describe('RLP of the signing library', () => {
  it('encodes as the rlp library', () => {
    const { input } = fc.letrec<{ input: RlpInput }>((tie) => ({
      input: fc.oneof(bytes(300), fc.nat(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.array(tie('input'))),
    }))
    fc.assert(
      fc.property(input, (given) => {
        expect(encodeRlp(given)).to.deep.equal(new Uint8Array(encode(given as Input)))
      }),
    )
    for (const length of [0, 1, 55, 56, 255, 256, 65_535, 65_536])
      expect(encodeRlp([new Uint8Array(length)])).to.deep.equal(new Uint8Array(encode([new Uint8Array(length)])))
  })

  it('decodes lists of strings as the rlp library', () => {
    fc.assert(
      fc.property(fc.array(bytes(300)), (strings) => {
        expect(decodeRlpStrings(encodeRlp(strings))).to.deep.equal(strings.map((one) => new Uint8Array(one)))
      }),
    )
  })

  it('refuses what the rlp library refuses, and everything but one list of strings', () => {
    const near = fc
      .tuple(fc.array(bytes(70), { maxLength: 3 }), fc.nat(), fc.nat({ max: 255 }))
      .map(([strings, place, byte]) => {
        const encoded = encodeRlp(strings)
        encoded[place % encoded.length] = byte
        return encoded
      })
    fc.assert(
      fc.property(fc.oneof(near, bytes(80)), (given) => {
        expect(decodeRlpStrings(given)).to.deep.equal(stringsOf(given))
      }),
      { numRuns: 2000 },
    )
    for (const wrong of [[], [0x80], [0xc1, 0xc0], [0xc0, 0x00], [0xc2, 0x81, 0x05], [0xf8, 0x01, 0x05], [0xc3, 0x83]])
      expect(decodeRlpStrings(Uint8Array.from(wrong)), String(wrong)).to.equal(undefined)
  })
})
