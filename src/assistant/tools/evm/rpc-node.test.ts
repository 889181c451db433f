import { expect } from 'chai'
import fc from 'fast-check'
import { flowText, quantityOf } from './rpc-node.ts'

describe('EVM amounts', () => {
  it('are formatted in FLOW without rounding', () => {
    expect(
      [0n, 1n, 10n ** 18n, 1_500_000_000_000_000_000n, 123_456_789_000_000_000_000_000_000_001n].map(flowText),
    ).to.deep.equal(['0', '0.000000000000000001', '1', '1.5', '123456789000.000000000000000001'])
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (wei) => {
        const [whole = '', fraction = ''] = flowText(wei).split('.')
        expect(BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, '0'))).to.equal(wei)
      }),
    )
  })

  it('are rejected when the node returned no number', () => {
    for (const value of [null, 7, '7', '0x', '0xzz', `0x${'f'.repeat(65)}`, {}])
      expect(() => quantityOf(value), JSON.stringify(value)).to.throw(/invalid number/)
    expect(quantityOf('0x0f')).to.equal(15n)
  })
})
