import { expect } from 'chai'
import { plainValue } from './cadence-value.ts'

describe('JSON-Cadence values', () => {
  it('are converted to plain values', () => {
    expect(plainValue({ type: 'UFix64', value: '1.50000000' })).to.equal('1.50000000')
    expect(plainValue({ type: 'Optional', value: null })).to.equal(null)
    expect(plainValue({ type: 'Optional', value: { type: 'Bool', value: true } })).to.equal(true)
    expect(plainValue({ type: 'Path', value: { domain: 'storage', identifier: 'vault' } })).to.equal('/storage/vault')
    expect(
      plainValue({ type: 'Array', value: [1, 255].map((byte) => ({ type: 'UInt8', value: String(byte) })) }),
    ).to.equal('0x01ff')
    expect(
      plainValue({
        type: 'Dictionary',
        value: [
          { key: { type: 'String', value: 'a' }, value: { type: 'Array', value: [{ type: 'Int', value: '1' }] } },
        ],
      }),
    ).to.deep.equal({ a: ['1'] })
    const fields = [{ name: 'to', value: { type: 'Address', value: '0x01' } }]
    expect(plainValue({ type: 'Struct', value: { id: 'A.01.B.C', fields } })).to.deep.equal({ to: '0x01' })
    expect(plainValue({ type: 'Type', value: { staticType: { kind: 'Int', typeID: '' } } })).to.equal('Int')
  })

  it('are unchanged if malformed', () => {
    for (const value of [null, 'x', 3, [1], { a: 1 }]) expect(plainValue(value)).to.deep.equal(value)
  })
})
