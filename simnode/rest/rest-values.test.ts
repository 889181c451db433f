import { expect } from 'chai'
import fc from 'fast-check'
import { ApiError } from '../../src/platform/errors.ts'
import {
  base64,
  hex,
  readAddress,
  readBase64,
  readHeight,
  readId,
  readIds,
  readUint32,
  readUint64,
} from './rest-values.ts'

describe('REST values', () => {
  it('round-trip', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array(), (id, some) => {
        expect(hex(readId(hex(id)))).to.equal(hex(id))
        expect(hex(readAddress(`0x${hex(id.subarray(0, 8))}`))).to.equal(hex(id.subarray(0, 8)))
        expect(hex(readBase64(base64(some), 'it'))).to.equal(hex(some))
      }),
    )
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        expect(readUint64(String(value), 'it')).to.equal(value)
      }),
    )
    fc.assert(
      fc.property(fc.maxSafeNat(), (height) => {
        expect(readHeight(String(height))).to.equal(BigInt(height))
      }),
    )
    expect([readHeight(null), readHeight(''), readHeight('sealed'), readHeight('final')]).to.deep.equal([
      undefined,
      undefined,
      'latest',
      'latest',
    ])
    expect(readIds('', 2)).to.deep.equal([])
  })

  it('are rejected if malformed, for any input', () => {
    const readers: readonly ((text: string) => unknown)[] = [
      readId,
      readAddress,
      readHeight,
      (text) => readIds(text, 2),
      (text) => readUint64(text, 'it'),
      (text) => readUint32(text, 'it'),
      (text) => readBase64(text, 'it'),
    ]
    fc.assert(
      fc.property(fc.constantFrom(...readers), fc.string(), (reader, text) => {
        try {
          reader(text)
        } catch (error) {
          expect(error).to.be.instanceOf(ApiError)
        }
      }),
    )
    for (const bad of ['-1', '1.5', '1e3', String(2n ** 64n), '٣', ' 1'])
      expect(() => readUint64(bad, 'it'), bad).to.throw(ApiError)
    for (const bad of ['YQ', 'YQ=', 'Y-==', 'YR==', 'YQ==\n'])
      expect(() => readBase64(bad, 'it'), bad).to.throw(ApiError)
    expect(() => readUint32('4294967296', 'it')).to.throw(ApiError)
    expect(() => readIds(['aa', 'bb', 'cc'].map((one) => one.repeat(32)).join(','), 2)).to.throw(/at most 2/)
    expect(() => readHeight('9007199254740993')).to.throw(ApiError)
  })
})
