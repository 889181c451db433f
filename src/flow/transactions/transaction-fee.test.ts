import { expect } from 'chai'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import { ufix64Text, ufix64Units } from '../tokens/ufix64.ts'
import { feeOfTransaction, gasOfTransaction } from './transaction-fee.ts'

import fc from 'fast-check'

const feesDeducted = 'A.f919ee77447b7497.FlowFees.FeesDeducted'
const [payer, feeReceiver] = ['0x18eb4ee6b3c026d2', '0xf919ee77447b7497']
const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(ufix64Text)

function transaction(
  events: readonly (readonly [string, PayloadFields | undefined])[],
  gasUsed = 0n,
): DecodedTransaction {
  const decoded: DecodedEvent[] = events.map(([type, fields], index) => ({ type, index, fields }))
  return {
    index: 0,
    id: Buffer.alloc(32),
    isSystem: false,
    payer,
    proposer: payer,
    authorizers: [payer],
    scriptHash: Buffer.alloc(32),
    script: '',
    statusCode: 0,
    isEvm: false,
    gasUsed,
    events: decoded,
  }
}

describe('feeOfTransaction', () => {
  it('sums deducted fees exactly, over any number of parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, amount, amount), { minLength: 1, maxLength: 6 }), (parts) => {
        const events = parts.map(
          ([paid, inclusionEffort, executionEffort]) =>
            [feesDeducted, { amount: paid, inclusionEffort, executionEffort }] as const,
        )
        const sum = (at: 0 | 1 | 2): string =>
          ufix64Text(parts.reduce((total, part) => total + ufix64Units(part[at]), 0n))
        const fee = feeOfTransaction(transaction(events), 'mainnet')
        expect(fee).to.deep.equal({ amount: sum(0), inclusionEffort: sum(1), executionEffort: sum(2), problems: [] })
        expect(gasOfTransaction(transaction(events), fee).used).to.equal(ufix64Units(sum(2)))
        expect(gasOfTransaction(transaction(events, 7n), fee)).to.deep.equal({ used: 7n, isFromFee: false })
      }),
    )
  })

  it('reads the first event version, which has only the amount', () => {
    const fee = feeOfTransaction(transaction([[feesDeducted, { amount: '0.00000100' }]]), 'mainnet')
    expect(fee).to.deep.equal({
      amount: '0.00000100',
      inclusionEffort: undefined,
      executionEffort: undefined,
      problems: [],
    })
  })

  it('uses the paying transfer before the fee event existed', () => {
    const paid = '0.00010000'
    const events = [
      ['A.1654653399040a61.FlowToken.TokensWithdrawn', { amount: paid, from: payer }],
      ['A.1654653399040a61.FlowToken.TokensDeposited', { amount: paid, to: feeReceiver }],
      ['A.f919ee77447b7497.FlowFees.TokensDeposited', { amount: paid }],
    ] as const
    expect(feeOfTransaction(transaction(events), 'mainnet').amount).to.equal(paid)
    expect(feeOfTransaction(transaction([]), 'mainnet').amount).to.equal('0.00000000')
  })

  it('ignores contracts of the same name in other accounts or networks', () => {
    const other = ['A.0000000000000bad.FlowFees.FeesDeducted', { amount: '5.00000000' }] as const
    expect(feeOfTransaction(transaction([other]), 'mainnet').amount).to.equal('0.00000000')
    expect(feeOfTransaction(transaction([[feesDeducted, { amount: '5.00000000' }]]), 'testnet').amount).to.equal(
      '0.00000000',
    )
  })

  it('is undefined if a fee event is undecodable, without a second problem', () => {
    const fee = feeOfTransaction(transaction([[feesDeducted, undefined]]), 'mainnet')
    expect(fee).to.deep.equal({
      amount: undefined,
      inclusionEffort: undefined,
      executionEffort: undefined,
      problems: [],
    })
  })
})
