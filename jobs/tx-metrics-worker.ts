import { int8OrNull, numericOrNull } from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedTransaction } from '../src/flow/decoded-block.ts'
import { feeOfTransaction, gasOfTransaction } from '../src/flow/transactions/transaction-fee.ts'
import type { TransactionFee } from '../src/flow/transactions/transaction-fee.ts'
import type { DeriveOutput, HeightTable, Worker } from './worker.ts'

const metrics: HeightTable = {
  name: 'app.tx_metrics',
  columns: ['block_height', 'gas_used', 'tx_index', 'is_gas_from_fee', 'fee', 'inclusion_effort', 'execution_effort'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** Decimal amounts never become floating point. */
export const txMetricsWorker: Worker = {
  name: 'tx_metrics_worker',
  description: 'Transaction fees, efforts and computation used',
  phase: 1,
  follows: [],
  tables: [metrics],
  folds: [],
  derive({ blocks }, output, { network }) {
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        const fee = feeOfTransaction(transaction, network)
        report(fee, height, transaction, output)
        // System transactions pay no fee, except on the emulator.
        if (!transaction.isSystem || isPaid(fee)) {
          write(output.rows(metrics.name), height, transaction, fee)
        }
      }
    }
  },
}

function isPaid({ amount }: TransactionFee): boolean {
  return amount === undefined || /[1-9]/.test(amount)
}

function report(
  { problems }: TransactionFee,
  blockHeight: number,
  { index }: DecodedTransaction,
  output: DeriveOutput,
): void {
  for (const problem of problems) output.problem({ blockHeight, txIndex: index, code: 'fee-event-shape', ...problem })
}

function write(rows: RowWriter, height: number, transaction: DecodedTransaction, fee: TransactionFee): void {
  const { used, isFromFee } = gasOfTransaction(transaction, fee)
  const isAvailable = transaction.statusCode !== undefined
  rows.row(metrics.columns.length)
  rows.int8(height)
  int8OrNull(rows, used)
  rows.int4(transaction.index)
  rows.bool(isFromFee)
  numericOrNull(rows, isAvailable ? fee.amount : undefined)
  numericOrNull(rows, fee.inclusionEffort)
  numericOrNull(rows, fee.executionEffort)
}
