import { expect } from 'chai'
import fc from 'fast-check'
import { cadence, encodeArgument } from './cadence-argument.ts'
import type { CadenceArgument } from './cadence-argument.ts'
import { readJsonCdcValue } from './json-cdc-payload.ts'

const read = (argument: CadenceArgument): unknown => readJsonCdcValue(encodeArgument(argument))

describe('script arguments', () => {
  it('are encoded as nodes expect', () => {
    const text = (argument: CadenceArgument): string => encodeArgument(argument).toString()
    expect(text(cadence.address('0xf8d6e0586b0a20c7'))).to.equal('{"type":"Address","value":"0xf8d6e0586b0a20c7"}')
    expect(text(cadence.uint64('18446744073709551615'))).to.equal('{"type":"UInt64","value":"18446744073709551615"}')
    expect(text(cadence.path('public', 'flowTokenReceiver'))).to.equal(
      '{"type":"Path","value":{"domain":"public","identifier":"flowTokenReceiver"}}',
    )
    expect(text(cadence.array([cadence.optional(null), cadence.optional(cadence.bool(true))]))).to.equal(
      '{"type":"Array","value":[{"type":"Optional","value":null},' +
        '{"type":"Optional","value":{"type":"Bool","value":true}}]}',
    )
  })

  it('round-trip', () => {
    fc.assert(
      fc.property(fc.string(), fc.bigInt(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (text, int, id) => {
        fc.pre(text.isWellFormed() && !text.includes('\0'))
        const args = cadence.array([
          cadence.string(text),
          cadence.int(int),
          cadence.uint64(id),
          cadence.uint64(String(id)),
        ])
        expect(read(args)).to.deep.equal([text, String(int), String(id), String(id)])
      }),
    )
    expect(read(cadence.path('storage', 'a'))).to.equal('/storage/a')
    expect(read(cadence.array([]))).to.deep.equal([])
  })

  it('are rejected if nodes would reject them', () => {
    expect(() => cadence.address('0xf8d6')).to.throw(RangeError)
    expect(() => cadence.address('f8d6e0586b0a20c7')).to.throw(RangeError)
    expect(() => cadence.uint64(-1)).to.throw(RangeError)
    expect(() => cadence.uint64(2n ** 64n)).to.throw(RangeError)
    expect(() => cadence.int('1.5')).to.throw(SyntaxError)
  })
})
