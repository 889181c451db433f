import { expect } from 'chai'
import type { DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import type { PayloadFields } from '../src/flow/payload-value.ts'
import { scriptHash } from '../src/flow/code/script-imports.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedTransaction } from '../test/support/hand-made-blocks.ts'
import { analyticsDeriverWorker } from './analytics-deriver-worker.ts'

const [alice, bob] = ['0x00000000000000a1', '0x00000000000000b0']
const service = 'f8d6e0586b0a20c7'
const flow = 'A.0ae53cb6e3f42a79.FlowToken'

function transaction(index: number, rest: Partial<DecodedTransaction>): DecodedTransaction {
  return decodedTransaction({ index, scriptHash: scriptHash(Buffer.from(rest.script ?? '')), ...rest })
}

function events(...list: readonly (readonly [type: string, fields?: PayloadFields])[]): DecodedEvent[] {
  return list.map(([type, fields], index) => ({ type, index, fields }))
}

function derive(...transactions: readonly DecodedTransaction[]): CollectedRows {
  return collect(analyticsDeriverWorker, {
    from: 7,
    to: 8,
    blocks: [{ height: 7, id: Buffer.alloc(32), timestampUs: 3 * 86_400_000_000, transactions }],
  })
}

function rowOf(...transactions: readonly DecodedTransaction[]): CollectedRow | undefined {
  return derive(...transactions).of('app.block_analytics')[0]
}

/** A FLOW transfer from alice to bob in events before Cadence 1.0. */
function moved(amount: string): DecodedEvent[] {
  return events([`${flow}.TokensWithdrawn`, { amount, from: alice }], [`${flow}.TokensDeposited`, { amount, to: bob }])
}

describe('analytics_deriver_worker', () => {
  it('writes nothing for an empty block', () => {
    const output = derive(
      transaction(0, {}),
      transaction(1, { isSystem: true, script: `import EVM from 0x${service}` }),
    )
    expect(output.of('app.block_analytics')).to.deep.equal([])
    expect(output.of('app.big_transfers')).to.deep.equal([])
  })

  it('counts swaps of all exchanges, and the first authorizer as trader', () => {
    const [pair, other] = [`A.${'1'.repeat(16)}.SwapPair`, `A.${'2'.repeat(16)}.SwapPair`]
    const swap = { inTokenAmount: '1.00000000', outTokenAmount: '2.00000000', direction: '0' }
    const trade = { token1Amount: '1.00000000', token2Amount: '2.00000000', side: '1' }
    const output = derive(
      transaction(0, {
        authorizers: [bob, alice],
        payer: alice,
        events: events([`${pair}.Swap`, swap], ['A.c6c77b9f5c7a378f.FlowSwapPair.Trade', trade], [`${pair}.Flashloan`]),
      }),
      transaction(1, { payer: alice, events: events([`${other}.Swap`, swap]) }),
      transaction(2, {
        authorizers: ['0x00000000000000c0'],
        events: events(['A.00000000000000a1.Swapper.Swap', swap], [`${pair}.Swap`, { direction: '0' }]),
      }),
    )
    const [row] = output.of('app.block_analytics')
    expect(row).to.include({ swap_count: 3 })
    expect(row?.['traders']).to.deep.equal([alice, bob])
    expect(output.problems).to.deep.equal([])
  })

  it('counts a bridge transaction once per direction', () => {
    const bridge = (name: string): string => `A.${service}.IFlowEVM${name}`
    const row = rowOf(
      transaction(0, {
        events: events([bridge('TokenBridge.BridgedTokensToEVM')], [`A.${service}.EVM.FLOWTokensDeposited`]),
      }),
      transaction(1, {
        events: events([bridge('NFTBridge.BridgedNFTToEVM')], [bridge('NFTBridge.BridgedNFTFromEVM')]),
      }),
      transaction(2, { events: events([bridge('TokenBridge.BridgedTokensFromEVM')]) }),
      transaction(3, { events: events([`A.${service}.EVM.FLOWTokensWithdrawn`]) }),
      transaction(4, { events: events(['A.00000000000000a1.IFlowEVMTokenBridge.BridgedTokensToEVM']) }),
    )
    expect(row).to.include({ bridge_to_evm_tx_count: 2, bridge_from_evm_tx_count: 3 })
  })

  it('counts EVM transactions with undecodable events', () => {
    const executed = `A.${service}.EVM.TransactionExecuted`
    const output = derive(transaction(0, { events: events([executed, { hash: 'none' }], [executed]) }))
    expect(output.of('app.block_analytics')[0]).to.include({
      evm_execution_count: 2,
      evm_failed_count: 0,
      evm_gas_used: '0',
    })
    expect(output.problems).to.deep.equal([])
  })

  it('adds epoch payouts exactly and records a problem without a total', () => {
    const paid = `A.${service}.FlowIDTableStaking.EpochTotalRewardsPaid`
    const output = derive(
      transaction(0, {
        events: events([paid, { total: '1000000.00000001' }], [paid, { total: '0.00000002' }], [paid, { total: null }]),
      }),
    )
    expect(output.of('app.block_analytics')[0]).to.include({ epoch_payout: '1000000.00000003' })
    expect(output.problems.map(({ code, eventIndex }) => [code, eventIndex])).to.deep.equal([['payout-event-shape', 2]])
  })

  it('counts imports by transaction, without system transactions', () => {
    const script = 'import A, B from 0x1\nimport A from 0x1'
    const row = rowOf(
      transaction(0, { script }),
      transaction(1, { script: 'import B from 0x1' }),
      transaction(2, { script, isSystem: true, events: moved('1.00000000') }),
    )
    expect([row?.['contracts'], row?.['contract_tx_counts']]).to.deep.equal([
      ['A.0000000000000001.A', 'A.0000000000000001.B'],
      [1, 2],
    ])
  })

  it('lists transfers of at least 1,000 tokens and sums all', () => {
    const amounts = ['999.99999999', '1000.00000000', '184467440737.09551615', '0.00000000']
    const output = derive(...amounts.map((amount, i) => transaction(i, { events: moved(amount) })))
    expect(output.of('app.big_transfers').map(({ tx_index: index, amount }) => [index, amount])).to.deep.equal([
      [1, amounts[1]],
      [2, amounts[2]],
    ])
    expect(output.of('app.block_analytics')[0]).to.deep.include({
      tokens: [flow],
      token_transfer_counts: [4],
      token_amounts: ['184467442737.09551614'],
    })
  })

  it('uses a lower threshold for valuable tokens', () => {
    const [bitcoin, other] = ['A.231cc0dbbcffc4b7.ceWBTC', 'A.231cc0dbbcffc4b7.ceBUSD']
    const moves = (token: string, amount: string): DecodedEvent[] =>
      events([`${token}.TokensWithdrawn`, { amount, from: alice }], [`${token}.TokensDeposited`, { amount, to: bob }])
    const output = derive(
      transaction(0, { events: moves(bitcoin, '0.01999999') }),
      transaction(1, { events: moves(bitcoin, '0.02000000') }),
      transaction(2, { events: moves(other, '0.02000000') }),
    )
    expect(output.of('app.big_transfers').map(({ tx_index: index, token }) => [index, token])).to.deep.equal([
      [1, bitcoin],
    ])
  })
})
