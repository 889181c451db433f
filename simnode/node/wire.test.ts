import { expect } from 'chai'
import fc from 'fast-check'
import {
  bytesField,
  bytesOf,
  contentsOf,
  keepFields,
  numberOf,
  readFields,
  repeatedMessage,
  rewrite,
  varintField,
} from './wire.ts'

describe('wire', () => {
  it('round-trips messages', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500_000 }), fc.maxSafeNat(), fc.uint8Array(), (number, value, content) => {
        const message = Buffer.concat([varintField(number, value), bytesField(number + 1, content)])
        expect(numberOf(message, number)).to.equal(value)
        expect(bytesOf(message, number + 1)).to.deep.equal(Buffer.from(content))
      }),
    )
  })

  it('rejects bytes that are not a message', () => {
    for (const hex of ['ff', '0f', '0a05aabb', '08', '0dff']) {
      expect(() => readFields(Buffer.from(hex, 'hex')), hex).to.throw(RangeError)
    }
  })

  it('uses the last value of a singular field and all of a repeated one', () => {
    const [a, b] = [bytesField(2, Buffer.from('a')), bytesField(2, Buffer.from('b'))] as const
    const message = Buffer.concat([varintField(1, 5), a, varintField(1, 6), b])
    expect(numberOf(message, 1)).to.equal(6)
    expect(bytesOf(message, 2).toString()).to.equal('b')
    expect(contentsOf(message, 2).map(String)).to.deep.equal(['a', 'b'])
    expect(numberOf(message, 3)).to.equal(0)
    expect(bytesOf(message, 3).length).to.equal(0)
  })

  it('concatenates the values of a repeated field', () => {
    const contents = [0, 1, 127, 128, 16_383, 16_384, 2_097_152].map((length) => Buffer.alloc(length, length))
    const end = bytesField(2, Buffer.from('end'))
    expect(
      repeatedMessage(1, contents, end).equals(
        Buffer.concat([...contents.map((content) => bytesField(1, content)), end]),
      ),
    ).to.equal(true)
    expect(repeatedMessage(1, [], end)).to.deep.equal(end)
  })

  it('changes the named fields and preserves the bytes of all others', () => {
    const text = bytesField(3, Buffer.from('keep'))
    const fixed = Buffer.from('2d01020304310102030405060708', 'hex')
    const message = Buffer.concat([varintField(1, 7), text, varintField(1, 8), fixed])
    const changed = rewrite(message, (field) => (field.number === 1 ? varintField(1, field.value * 1000) : undefined))
    expect(changed).to.deep.equal(Buffer.concat([varintField(1, 7000), text, varintField(1, 8000), fixed]))
    expect(rewrite(message, () => undefined)).to.equal(message)
    expect(keepFields(message, [3])).to.deep.equal(text)
  })
})
