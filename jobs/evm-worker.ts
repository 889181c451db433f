import { numericOrNull, textOrNull } from '../src/platform/nullable-fields.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { FieldShapeError } from '../src/flow/event-fields.ts'
import { evmTokenTransfers } from '../src/flow/evm/evm-token-transfers.ts'
import type { EvmTokenTransfer } from '../src/flow/evm/evm-token-transfers.ts'
import { evmTransactionExecuted, evmTransactionOf } from '../src/flow/evm/evm-transaction.ts'
import type { EvmTransaction } from '../src/flow/evm/evm-transaction.ts'
import { evmTokenFolds } from './evm-token-folds.ts'
import type { DeriveContext, DeriveOutput, HeightTable, Worker } from './worker.ts'

const heightColumn = 'block_height'
const position = [heightColumn, 'tx_index', 'event_index'] as const
const partitionHeights = 5_000_000

/** One row for each EVM transaction. */
const hashes: HeightTable = {
  name: 'app.evm_tx_hashes',
  columns: [...position, 'tx_id', 'evm_hash', 'evm_from', 'evm_to', 'evm_value', 'evm_gas_used', 'evm_status'],
  heightColumn,
  partitionHeights,
}

/** What else there is to each. */
const transactions: HeightTable = {
  name: 'app.evm_transactions',
  columns: [
    ...position,
    'evm_block_height',
    'evm_tx_index',
    'error_code',
    'tx_type',
    'call_type',
    'nonce',
    'gas_limit',
    'gas_price',
    'max_fee_per_gas',
    'max_priority_fee_per_gas',
    'contract_address',
    'error_message',
  ],
  heightColumn,
  partitionHeights,
}

/** One row for each token, item or kind that a log moved. */
const tokenTransfers: HeightTable = {
  name: 'app.evm_token_transfers',
  columns: [
    ...position,
    'log_index',
    'batch_index',
    'standard',
    'token',
    'from_address',
    'to_address',
    'token_id',
    'amount',
  ],
  heightColumn,
  partitionHeights,
}

/**
 * EVM transactions and the tokens that they move, from the chain's `EVM.TransactionExecuted` events. How these are read
 * is in `src/flow/evm/`. Also the chain's own transactions count: those that were scheduled may use the EVM.
 */
export const evmWorker: Worker = {
  name: 'evm_worker',
  description: 'EVM transactions, and what their logs tell of tokens',
  phase: 1,
  follows: [],
  tables: [hashes, transactions, tokenTransfers],
  folds: evmTokenFolds(tokenTransfers.name),
  derive({ blocks }, output, context) {
    const type = evmTransactionExecuted(context.network)
    for (const { height, transactions: ofBlock } of blocks) {
      for (const transaction of ofBlock) {
        for (const event of transaction.events) {
          if (event.type === type) deriveEvent(event, { height, transaction }, output, context)
        }
      }
    }
  },
}

/** Where an event is. */
interface Place {
  readonly height: number
  readonly transaction: DecodedTransaction
}

function deriveEvent(event: DecodedEvent, place: Place, output: DeriveOutput, { network }: DeriveContext): void {
  const problem = (code: string, message: string): void => {
    const {
      height,
      transaction: { index: txIndex },
    } = place
    output.problem({ blockHeight: height, txIndex, eventIndex: event.index, eventType: event.type, code, message })
  }
  let executed: EvmTransaction | undefined
  try {
    executed = evmTransactionOf(event)
  } catch (error) {
    if (!(error instanceof FieldShapeError)) throw error
    problem('evm-event-shape', error.message)
    return
  }
  if (executed === undefined) return
  for (const { code, message } of executed.problems) problem(code, message)
  writeHash(output.rows(hashes.name), event, place, executed)
  writeTransaction(output.rows(transactions.name), event, place, executed)
  const moved = evmTokenTransfers(executed.logs, network)
  if (moved.length > 0) writeTransfers(output.rows(tokenTransfers.name), event, place, moved)
}

function writeHash(rows: RowWriter, event: DecodedEvent, place: Place, executed: EvmTransaction): void {
  beginRow(rows, hashes, event, place)
  rows.text(place.transaction.id.toString('hex'))
  rows.text(executed.hash)
  textOrNull(rows, executed.from)
  textOrNull(rows, executed.to)
  numericOrNull(rows, executed.payload?.value)
  rows.int8(executed.gasUsed)
  rows.int2(executed.status)
}

function writeTransaction(rows: RowWriter, event: DecodedEvent, place: Place, executed: EvmTransaction): void {
  const { payload } = executed
  beginRow(rows, transactions, event, place)
  rows.int8(executed.blockHeight)
  rows.int4(executed.index)
  rows.int4(executed.errorCode)
  rows.int2(executed.type)
  textOrNull(rows, payload?.callType)
  numericOrNull(rows, payload?.nonce)
  numericOrNull(rows, payload?.gasLimit)
  numericOrNull(rows, payload?.gasPrice)
  numericOrNull(rows, payload?.maxFeePerGas)
  numericOrNull(rows, payload?.maxPriorityFeePerGas)
  textOrNull(rows, executed.contractAddress)
  textOrNull(rows, executed.errorMessage)
}

function writeTransfers(rows: RowWriter, event: DecodedEvent, place: Place, moved: readonly EvmTokenTransfer[]): void {
  for (const { logIndex, batchIndex, standard, token, from, to, tokenId, amount } of moved) {
    beginRow(rows, tokenTransfers, event, place)
    rows.int4(logIndex)
    rows.int4(batchIndex)
    rows.int2(standard)
    rows.text(token)
    textOrNull(rows, from)
    textOrNull(rows, to)
    numericOrNull(rows, tokenId)
    rows.numeric(amount)
  }
}

function beginRow(rows: RowWriter, table: HeightTable, event: DecodedEvent, { height, transaction }: Place): void {
  rows.row(table.columns.length)
  rows.int8(height)
  rows.int4(transaction.index)
  rows.int4(event.index)
}
