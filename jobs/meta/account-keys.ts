import { int2OrNull, int4OrNull } from '../../src/platform/nullable-fields.ts'
import type { RowWriter } from '../../src/platform/row-writer.ts'
import { accountKeyChanges } from '../../src/flow/accounts/account-key-events.ts'
import type { AccountKeyChange } from '../../src/flow/accounts/account-key-events.ts'
import type { DecodedTransaction } from '../../src/flow/decoded-block.ts'
import type { DeriveOutput, HeightTable } from '../worker.ts'

/** One row for each event that added or revoked a key. */
export const accountKeyChangeRows: HeightTable = {
  name: 'app.account_key_changes',
  columns: [
    'block_height',
    'tx_index',
    'event_index',
    'key_index',
    'weight',
    'signing_algorithm',
    'hashing_algorithm',
    'is_removed',
    'address',
    'public_key',
  ],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}

export function writeAccountKeyChanges(
  rows: RowWriter,
  blockHeight: number,
  transaction: DecodedTransaction,
  output: DeriveOutput,
): void {
  const { changes, problems } = accountKeyChanges(transaction)
  for (const change of changes) writeChange(rows, blockHeight, transaction.index, change)
  for (const problem of problems) {
    output.problem({ blockHeight, txIndex: transaction.index, code: 'account-key-event-shape', ...problem })
  }
}

function writeChange(rows: RowWriter, blockHeight: number, txIndex: number, change: AccountKeyChange): void {
  const { eventIndex, address, isRemoved, keyIndex, key } = change
  rows.row(accountKeyChangeRows.columns.length)
  rows.int8(blockHeight)
  rows.int4(txIndex)
  rows.int4(eventIndex)
  int4OrNull(rows, keyIndex)
  int4OrNull(rows, key?.weight)
  int2OrNull(rows, key?.signingAlgorithm)
  int2OrNull(rows, key?.hashingAlgorithm)
  rows.bool(isRemoved)
  rows.text(address)
  if (key === undefined) rows.null()
  else rows.bytea(key.publicKey)
}
