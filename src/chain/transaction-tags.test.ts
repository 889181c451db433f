import { expect } from 'chai'
import { describeTransaction, isTagEvent, tagEventPatterns } from './transaction-tags.ts'
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

  it('tells by their types what events mean', () => {
    for (const [type, tag] of [
      ['A.e467b9dd11fa00df.EVM.FLOWTokensDeposited', 'EVM_BRIDGE'],
      ['A.1e4aa0b87d10b141.FlowEVMBridge.Onboarded', 'EVM_BRIDGE'],
      ['A.1e4aa0b87d10b141.IFlowEVMTokenBridge.BridgedTokensToEVM', 'EVM_BRIDGE'],
      ['A.4eb8a10cb9f87357.NFTStorefrontV2.ListingCompleted', 'MARKETPLACE'],
      ['flow.AccountContractAdded', 'CONTRACT_DEPLOY'],
      ['flow.AccountContractUpdated', 'CONTRACT_DEPLOY'],
      ['flow.AccountContractRemoved', undefined],
      ['flow.AccountCreated', 'ACCOUNT_CREATED'],
      ['flow.AccountKeyAdded', 'KEY_UPDATE'],
      ['flow.AccountKeyRemoved', 'KEY_UPDATE'],
      ['A.e467b9dd11fa00df.FlowTransactionScheduler.Scheduled', 'SCHEDULED_TX'],
      ['A.b063c16cac85dbd1.SwapPair.Swap', 'SWAP'],
      ['A.c6c77b9f5c7a378f.FlowSwapPair.Trade', 'SWAP'],
      ['A.b063c16cac85dbd1.SwapPair.TokensMinted', 'LIQUIDITY'],
      ['A.8624b52f9ddcd04a.FlowIDTableStaking.TokensStaked', 'STAKING'],
      ['A.d6f80565193ad727.LiquidStaking.Stake', 'LIQUID_STAKING'],
      ['A.b19436aae4d94622.FiatToken.TokensMinted', 'TOKEN_MINT'],
      ['A.1654653399040a61.FlowToken.TokensMinted', undefined],
      ['A.b19436aae4d94622.FiatToken.TokensBurned', 'TOKEN_BURN'],
      ['A.f233dcee88fe0abe.FungibleToken.Burned', 'TOKEN_BURN'],
      ['A.f233dcee88fe0abe.FungibleToken.Withdrawn', undefined],
    ] as const) {
      expect(describeTransaction(false, [event(type)]).tags, type).to.deep.equal(tag === undefined ? [] : [tag])
      expect(isTagEvent(type), type).to.equal(tag !== undefined)
    }
  })

  it('finds items that arrive in an account', () => {
    for (const type of ['A.1d7e57aa55817448.NonFungibleToken.Deposited', 'A.0b2a3299cc857e29.TopShot.Deposit']) {
      expect(describeTransaction(false, [event(type, null, someone)]).tags).to.deep.equal(['NFT_TRANSFER'])
      expect(describeTransaction(false, [event(type)]).tags).to.deep.equal([])
    }
  })

  it('tells each tag once, in one order', () => {
    const events = [event('flow.AccountKeyAdded'), event('flow.AccountCreated'), event('flow.AccountKeyAdded')]
    expect(describeTransaction(true, events).tags).to.deep.equal(['EVM', 'ACCOUNT_CREATED', 'KEY_UPDATE'])
  })

  it('has patterns without the mark that means any character', () => {
    for (const pattern of tagEventPatterns) expect(pattern).not.to.match(/[_\\]/)
  })
})
