import { expect } from 'chai'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import { tagsOfTransaction, transactionTags } from './transaction-tags.ts'

import fc from 'fast-check'

const [someone, other] = ['0x7c8995e83c4b1843', '0x18eb4ee6b3c026d2']
const feeReceiver = '0xf919ee77447b7497'
const flow = 'A.1654653399040a61.FlowToken.Vault'
const processScript = 'import FlowTransactionScheduler from 0xe467b9dd11fa00df transaction { execute { s.process() } }'
const executeScript = processScript.replace('process()', 'executeTransaction(id: id)')

type TestEvent = readonly [type: string, fields?: PayloadFields]

function transaction(events: readonly TestEvent[], more: Partial<DecodedTransaction> = {}): DecodedTransaction {
  const decoded: DecodedEvent[] = events.map(([type, fields], index) => ({ type, index, fields: fields ?? {} }))
  return {
    index: 0,
    id: Buffer.alloc(32),
    isSystem: false,
    payer: other,
    proposer: other,
    authorizers: [other],
    scriptHash: Buffer.from(more.script ?? ''),
    script: '',
    statusCode: 0,
    isEvm: false,
    gasUsed: 0n,
    events: decoded,
    ...more,
  }
}

function tags(events: readonly TestEvent[], more: Partial<DecodedTransaction> = {}): readonly string[] {
  return tagsOfTransaction(transaction(events, more), 'mainnet')
}

/** A FLOW transfer between accounts in events since Cadence 1.0. */
function flowMoves(amount: string, to: string | null, uuid = '5921'): TestEvent[] {
  const left = { from: other, fromUUID: '101', withdrawnUUID: uuid, balanceAfter: '90.00000000' }
  const arrived = { to, toUUID: '102', depositedUUID: uuid, balanceAfter: '35.50000000' }
  return [
    ['A.1654653399040a61.FlowToken.TokensWithdrawn', { amount, from: other }],
    ['A.f233dcee88fe0abe.FungibleToken.Withdrawn', { type: flow, amount, ...left }],
    ['A.1654653399040a61.FlowToken.TokensDeposited', { amount, to }],
    ['A.f233dcee88fe0abe.FungibleToken.Deposited', { type: flow, amount, ...arrived }],
  ]
}

function fee(amount: string): TestEvent[] {
  const deducted = { amount, inclusionEffort: '1.00000000', executionEffort: '0.00000005' }
  return [...flowMoves(amount, feeReceiver, '6000'), ['A.f919ee77447b7497.FlowFees.FeesDeducted', deducted]]
}

describe('tagsOfTransaction', () => {
  it('returns an empty list for a transaction that only pays its fee', () => {
    expect(tags(fee('0.00100000'))).to.deep.equal([])
  })

  it('finds a transfer beside the fee, even of equal amount or to the fee account', () => {
    for (const amount of ['10.00000000', '0.00100000']) {
      expect(tags([...flowMoves(amount, someone), ...fee('0.00100000')])).to.deep.equal(['FT_TRANSFER'])
    }
    expect(tags([...flowMoves('0.00100000', feeReceiver), ...fee('0.00100000')])).to.deep.equal(['FT_TRANSFER'])
  })

  it('recognizes the fee before Cadence 1.0, when only contracts emitted token events', () => {
    const paid: TestEvent[] = [
      ['A.1654653399040a61.FlowToken.TokensWithdrawn', { amount: '0.00000100', from: other }],
      ['A.1654653399040a61.FlowToken.TokensDeposited', { amount: '0.00000100', to: feeReceiver }],
      ['A.f919ee77447b7497.FlowFees.FeesDeducted', { amount: '0.00000100' }],
    ]
    expect(tags(paid)).to.deep.equal([])
    const token: TestEvent = ['A.b19436aae4d94622.FiatToken.TokensDeposited', { amount: '5.00000000', to: someone }]
    expect(tags([token, ...paid])).to.deep.equal(['FT_TRANSFER'])
  })

  it('ignores zero moves', () => {
    expect(tags(flowMoves('0.00000000', someone))).to.deep.equal([])
  })

  it('detects EVM in the script or the events', () => {
    expect(tags([], { isEvm: true })).to.deep.equal(['EVM'])
    expect(tags([['A.e467b9dd11fa00df.EVM.TransactionExecuted']])).to.deep.equal(['EVM'])
  })

  it('derives tags from event types', () => {
    for (const [type, tag] of [
      ['A.e467b9dd11fa00df.EVM.FLOWTokensDeposited', 'EVM_BRIDGE'],
      ['A.1e4aa0b87d10b141.FlowEVMBridge.Onboarded', 'EVM_BRIDGE'],
      ['A.1e4aa0b87d10b141.IFlowEVMTokenBridge.BridgedTokensToEVM', 'EVM_BRIDGE'],
      ['A.1e4aa0b87d10b141.IFlowEVMNFTBridge.BridgedNFTFromEVM', 'EVM_BRIDGE'],
      ['A.4eb8a10cb9f87357.NFTStorefrontV2.ListingCompleted', 'MARKETPLACE'],
      ['A.c1e4f4f4c4257510.TopShotMarketV3.MomentPurchased', 'MARKETPLACE'],
      ['flow.AccountContractAdded', 'CONTRACT_DEPLOY'],
      ['flow.AccountContractUpdated', 'CONTRACT_DEPLOY'],
      ['flow.AccountContractRemoved', undefined],
      ['flow.AccountCreated', 'ACCOUNT_CREATED'],
      ['flow.AccountKeyAdded', 'KEY_UPDATE'],
      ['flow.AccountKeyRemoved', 'KEY_UPDATE'],
      ['A.e467b9dd11fa00df.FlowTransactionScheduler.Scheduled', 'SCHEDULED_TX'],
      ['A.b063c16cac85dbd1.SwapPair.Swap', 'SWAP'],
      ['A.c6c77b9f5c7a378f.FlowSwapPair.Trade', 'SWAP'],
      ['A.8624b52f9ddcd04a.FlowIDTableStaking.TokensStaked', 'STAKING'],
      ['A.8d0e87b65159ae63.FlowStakingCollection.NodeAddedToStakingCollection', 'STAKING'],
      ['A.d6f80565193ad727.LiquidStaking.Stake', 'LIQUID_STAKING'],
      ['A.b19436aae4d94622.FiatToken.TokensMinted', 'TOKEN_MINT'],
      ['A.1654653399040a61.FlowToken.TokensMinted', undefined],
      ['A.b19436aae4d94622.FiatToken.TokensBurned', 'TOKEN_BURN'],
      ['A.f233dcee88fe0abe.FungibleToken.Burned', 'TOKEN_BURN'],
      ['A.f233dcee88fe0abe.FungibleToken.Withdrawn', undefined],
    ] as const) {
      expect(tags([[type]]), type).to.deep.equal(tag === undefined ? [] : [tag])
    }
    expect(tags([['A.b063c16cac85dbd1.SwapPair.TokensMinted']])).to.deep.equal(['LIQUIDITY', 'TOKEN_MINT'])
  })

  it('ignores contracts in other accounts with the names of core contracts', () => {
    for (const name of [
      'EVM.TransactionExecuted',
      'FlowIDTableStaking.TokensStaked',
      'FlowTransactionScheduler.Scheduled',
      'FlowEVMBridge.Onboarded',
      'FungibleToken.Burned',
    ]) {
      expect(tags([[`A.0000000000000bad.${name}`]]), name).to.deep.equal([])
    }
  })

  it('detects item moves', () => {
    const item = { type: 'A.0b2a3299cc857e29.TopShot.NFT', id: '7', uuid: '9', collectionUUID: '11', to: someone }
    expect(tags([['A.1d7e57aa55817448.NonFungibleToken.Deposited', item]])).to.deep.equal(['NFT_TRANSFER'])
    expect(tags([['A.0b2a3299cc857e29.TopShot.Deposit', { id: '7', to: someone }]])).to.deep.equal(['NFT_TRANSFER'])
  })

  it('distinguishes scheduled executions, including failed ones, from the transaction that looks for due ones', () => {
    expect(tags([], { isSystem: true, script: executeScript, statusCode: 1 })).to.deep.equal(['SCHEDULED_TX'])
    expect(tags([], { isSystem: true, script: processScript })).to.deep.equal([])
    expect(tags([], { script: executeScript })).to.deep.equal([])
  })

  it('returns each tag once, in a fixed order', () => {
    const type = fc.constantFrom(
      'flow.AccountKeyAdded',
      'flow.AccountCreated',
      'A.e467b9dd11fa00df.EVM.TransactionExecuted',
      'A.1.B.C',
      'x',
      'A.b063c16cac85dbd1.SwapPair.Swap',
      'A.b19436aae4d94622.FiatToken.TokensBurned',
      'A.4eb8a10cb9f87357..',
    )
    fc.assert(
      fc.property(fc.array(type, { maxLength: 12 }), fc.boolean(), (types, isEvm) => {
        const found = tags(
          types.map((one) => [one]),
          { isEvm },
        )
        expect(found).to.deep.equal(transactionTags.filter((tag) => found.includes(tag)))
        expect(
          tags(
            types.toReversed().map((one) => [one]),
            { isEvm },
          ),
        ).to.deep.equal(found)
      }),
    )
  })
})
