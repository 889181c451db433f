import { expect } from 'chai'
import { describeTransaction } from './transaction-tags.ts'
import type { TagEvent } from './transaction-tags.ts'

const flowDeposit = 'A.1654653399040a61.FlowToken.TokensDeposited'
const deposit = 'A.f233dcee88fe0abe.FungibleToken.Deposited'
const feesDeducted = 'A.f919ee77447b7497.FlowFees.FeesDeducted'
const someone = '0x7c8995e83c4b1843'
const fees = '0xf919ee77447b7497'

function event(type: string, amount: string | null = null, to: string | null = null): TagEvent {
  return { type, amount, to }
}

const feeMovement = [
  event(flowDeposit, '0.00100000', fees), event(deposit, '0.00100000', fees), event(feesDeducted, '0.00100000'),
]

describe('describeTransaction', () => {
  it('finds nothing in a transaction that only pays its fee', () => {
    expect(describeTransaction(false, feeMovement)).to.deep.equal({ tags: [], fee: '0.00100000' })
  })

  it('finds a transfer beside the fee, also one of the same amount', () => {
    for (const amount of ['10.00000000', '0.00100000']) {
      const events = [event(flowDeposit, amount, someone), event(deposit, amount, someone), ...feeMovement]
      expect(describeTransaction(false, events).tags).to.deep.equal(['FT_TRANSFER'])
    }
  })

  it('knows the fee of the time before Cadence 1.0, when tokens had events of their own only', () => {
    const fee = [event(flowDeposit, '0.00000100', fees), event(feesDeducted, '0.00000100')]
    expect(describeTransaction(false, fee).tags).to.deep.equal([])
    const token = event('A.b19436aae4d94622.FiatToken.TokensDeposited', '5.00000000', someone)
    expect(describeTransaction(false, [token, ...fee]).tags).to.deep.equal(['FT_TRANSFER'])
  })

  it('does not count deposits of nothing and into vaults without an account', () => {
    const events = [event(deposit, '0.00000000', someone), event(deposit, '10.00000000', null)]
    expect(describeTransaction(false, events)).to.deep.equal({ tags: [], fee: undefined })
  })

  it('sees EVM in the script or in what was executed', () => {
    expect(describeTransaction(true, []).tags).to.deep.equal(['EVM'])
    const executed = event('A.e467b9dd11fa00df.EVM.TransactionExecuted')
    expect(describeTransaction(false, [executed]).tags).to.deep.equal(['EVM'])
  })

  it('passes over fee events whose amount could not be decoded', () => {
    expect(describeTransaction(false, [event(feesDeducted)])).to.deep.equal({ tags: [], fee: undefined })
  })
})
