import type { RowWriter } from '../src/platform/row-writer.ts'
import { utcDay, utcHour } from '../src/flow/decoded-block.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import { ufix64Text } from '../src/flow/tokens/ufix64.ts'
import { analyticsFolds } from './analytics/analytics-folds.ts'
import { isBigAmount } from './analytics/big-amounts.ts'
import { BlockActivity, isTokenActivity } from './analytics/block-activity.ts'
import type { DeriveContext, HeightTable, Worker } from './worker.ts'

/** One row for each block that adds something. */
const blockAnalytics: HeightTable = {
  name: 'app.block_analytics',
  columns: [
    'block_height',
    'evm_gas_used',
    'day',
    'evm_execution_count',
    'evm_failed_count',
    'swap_count',
    'bridge_to_evm_tx_count',
    'bridge_from_evm_tx_count',
    'hour',
    'epoch_payout',
    'evm_addresses',
    'traders',
    'contracts',
    'contract_tx_counts',
    'tokens',
    'token_transfer_counts',
    'token_amounts',
    'collections',
    'collection_transfer_counts',
  ],
  heightColumn: 'block_height',
  partitionHeights: 5_000_000,
}

/** One row for each movement of much of a token. */
const bigTransfers: HeightTable = {
  name: 'app.big_transfers',
  columns: ['block_height', 'tx_index', 'event_index', 'leg', 'day', 'token', 'amount'],
  heightColumn: 'block_height',
  partitionHeights: 5_000_000,
}

/** Numbers of parts of the chain by day and hour: EVM, swaps, bridge, contracts, tokens; and the biggest transfers. */
export const analyticsDeriverWorker: Worker = {
  name: 'analytics_deriver_worker',
  description: 'Numbers of EVM, swaps, bridge, contracts and tokens by day and hour, and big transfers',
  phase: 1,
  follows: [],
  tables: [blockAnalytics, bigTransfers],
  folds: analyticsFolds(blockAnalytics.name),
  derive({ blocks }, output, context) {
    const activityRows = output.rows(blockAnalytics.name)
    const bigRows = output.rows(bigTransfers.name)
    for (const block of blocks) {
      const activity = new BlockActivity(block, context.network)
      if (!activity.isEmpty) writeActivity(activityRows, block, activity)
      for (const problem of activity.problems) output.problem(problem)
      writeBigTransfers(bigRows, block, context)
    }
  },
}

function writeActivity(rows: RowWriter, { height, timestampUs }: DecodedBlock, activity: BlockActivity): void {
  const contracts = [...activity.contracts].toSorted(byKey)
  const tokens = [...activity.tokens].toSorted(byKey)
  const collections = [...activity.collections].toSorted(byKey)
  rows.row(blockAnalytics.columns.length)
  rows.int8(height)
  rows.int8(activity.evmGasUsed)
  rows.date(utcDay(timestampUs))
  rows.int4(activity.evmExecutions)
  rows.int4(activity.evmFailed)
  rows.int4(activity.swaps)
  rows.int4(activity.bridgeToEvm)
  rows.int4(activity.bridgeFromEvm)
  rows.int2(utcHour(timestampUs))
  rows.numeric(ufix64Text(activity.epochPayout))
  rows.textArray([...activity.evmAddresses].toSorted())
  rows.textArray([...activity.traders].toSorted())
  rows.textArray(contracts.map(([contract]) => contract))
  rows.int4Array(contracts.map(([, count]) => count))
  rows.textArray(tokens.map(([token]) => token))
  rows.int4Array(tokens.map(([, { transfers }]) => transfers))
  rows.numericArray(tokens.map(([, { units }]) => ufix64Text(units)))
  rows.textArray(collections.map(([collection]) => collection))
  rows.int4Array(collections.map(([, count]) => count))
}

/** The key is that of the same movement in app.ft_transfers. */
function writeBigTransfers(rows: RowWriter, block: DecodedBlock, { network }: DeriveContext): void {
  const { height, timestampUs, transactions } = block
  for (const transaction of transactions) {
    let leg = 0
    let previous = -1
    for (const { eventIndex, token, amount, type } of tokenMovesOf(transaction, network).fungible) {
      leg = eventIndex === previous ? leg + 1 : 0
      previous = eventIndex
      if (!isTokenActivity(type) || !isBigAmount(token, amount)) continue
      rows.row(bigTransfers.columns.length)
      rows.int8(height)
      rows.int4(transaction.index)
      rows.int4(eventIndex)
      rows.int2(leg)
      rows.date(utcDay(timestampUs))
      rows.text(token)
      rows.numeric(amount)
    }
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
