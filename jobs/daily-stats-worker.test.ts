import { expect } from 'chai'
import type { DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { collect } from '../test/support/collected-rows.ts'
import type { CollectedRow, CollectedRows } from '../test/support/collected-rows.ts'
import { decodedTransaction } from '../test/support/hand-made-blocks.ts'
import { dailyStatsWorker } from './daily-stats-worker.ts'

const [alice, bob] = ['0x00000000000000a1', '0x00000000000000b0']
const fee = 'A.e5a8b7f23e8b548f.FlowFees.FeesDeducted'
const midnightUs = Date.UTC(2026, 2, 14) * 1000

function transaction(index: number, rest: Partial<DecodedTransaction>): DecodedTransaction {
  return decodedTransaction({ index, ...rest })
}

function events(...list: readonly (readonly [type: string, fields?: DecodedEvent['fields']])[]): DecodedEvent[] {
  return list.map(([type, fields], index) => ({ type, index, fields }))
}

function derive(transactions: readonly DecodedTransaction[], timestampUs = midnightUs): CollectedRows {
  return collect(dailyStatsWorker, {
    from: 7,
    to: 8,
    blocks: [{ height: 7, id: Buffer.alloc(32), timestampUs, transactions }],
  })
}

function rowOf(transactions: readonly DecodedTransaction[], timestampUs?: number): CollectedRow | undefined {
  return derive(transactions, timestampUs).of('app.block_stats')[0]
}

describe('daily_stats_worker', () => {
  it('computes day and hour to the microsecond, also before 1970', () => {
    const day = midnightUs / 86_400_000_000
    for (const [timestampUs, expected] of [
      [midnightUs, [day, 0]],
      [midnightUs - 1, [day - 1, 23]],
      [midnightUs + 3_600_000_000 - 1, [day, 0]],
      [midnightUs + 3_600_000_000, [day, 1]],
      [-1, [-1, 23]],
      [0, [0, 0]],
    ] as const) {
      const row = rowOf([], timestampUs)
      expect([row?.['day'], row?.['hour']], String(timestampUs)).to.deep.equal(expected)
    }
  })

  it('distinguishes user transactions from system transactions', () => {
    const row = rowOf([
      transaction(0, { payer: alice, proposer: bob, authorizers: [bob], statusCode: 1, gasUsed: 5n }),
      transaction(1, { payer: alice, proposer: alice, authorizers: [alice], gasUsed: 7n }),
      transaction(2, {
        isSystem: true,
        payer: '0x00000000000000f1',
        authorizers: ['0x00000000000000f1'],
        statusCode: 1,
      }),
    ])
    expect(row).to.include({ tx_count: 3, system_tx_count: 1, failed_tx_count: 1, gas_used: '12' })
    expect(row?.['accounts']).to.deep.equal([alice, bob])
  })

  it('counts neither the zero address nor unknown results', () => {
    const zero = '0x0000000000000000'
    const row = rowOf([transaction(0, { payer: zero, proposer: zero, statusCode: undefined, gasUsed: undefined })])
    expect(row).to.include({ tx_count: 1, failed_tx_count: 0, gas_used: '0' })
    expect(row?.['accounts']).to.deep.equal([])
  })

  it('counts a transaction with several EVM transactions once', () => {
    const executed = 'A.f8d6e0586b0a20c7.EVM.TransactionExecuted'
    const row = rowOf([
      transaction(0, { events: events([executed], [executed]) }),
      transaction(1, { isEvm: true }),
      transaction(2, { events: events(['A.00000000000000a1.EVM.TransactionExecuted']) }),
    ])
    expect(row).to.include({ evm_tx_count: 1, event_count: 3 })
  })

  it('adds fees exactly, including those without an event', () => {
    const flow = 'A.0ae53cb6e3f42a79.FlowToken'
    const old = { amount: '0.00001000' }
    const row = rowOf([
      transaction(0, { events: events([fee, { amount: '184467440737.09551615' }]) }),
      transaction(1, { events: events([fee, { amount: '0.00000001' }], [fee, { amount: '0.00000002' }]) }),
      transaction(2, {
        payer: alice,
        events: events(
          [`${flow}.TokensWithdrawn`, { ...old, from: alice }],
          [`${flow}.TokensDeposited`, { ...old, to: '0xe5a8b7f23e8b548f' }],
          ['A.e5a8b7f23e8b548f.FlowFees.TokensDeposited', old],
        ),
      }),
    ])
    expect(row).to.include({ fees: '184467440737.09552618', ft_transfer_count: 0 })
  })

  it('uses the computation of the fee if the result has 0', () => {
    const reported = { amount: '0.00001000', inclusionEffort: '1.00000000', executionEffort: '0.00000042' }
    const row = rowOf([
      transaction(0, { gasUsed: 0n, events: events([fee, reported]) }),
      transaction(1, { gasUsed: 9n, events: events([fee, reported]) }),
    ])
    expect(row).to.include({ gas_used: '51' })
  })

  it('continues if a fee has no amount', () => {
    const output = derive([
      transaction(3, {
        events: events(
          [fee, { amount: 'much' }],
          ['flow.AccountCreated'],
          ['flow.AccountContractAdded'],
          ['flow.AccountContractUpdated'],
        ),
      }),
    ])
    expect(output.of('app.block_stats')[0]).to.include({
      fees: '0.00000000',
      new_account_count: 1,
      new_contract_count: 1,
      contract_update_count: 1,
    })
    expect(output.problems).to.deep.equal([])
  })
})
