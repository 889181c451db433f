import type { RowWriter } from '../../src/base/row-writer.ts'
import { accountKeyChanges } from '../../src/chain/accounts/account-key-events.ts'
import type { AccountKeyChange } from '../../src/chain/accounts/account-key-events.ts'
import type { DecodedTransaction } from '../../src/chain/decoded-block.ts'
import type { DeriveOutput, HeightTable } from '../worker.ts'

/** One row for each event that added or revoked a key. */
export const accountKeyChangeRows: HeightTable = {
  name: 'app.account_key_changes',
  columns: [
    'block_height', 'tx_index', 'event_index', 'key_index', 'weight', 'signing_algorithm', 'hashing_algorithm',
    'is_removed', 'address', 'public_key',
  ],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}

export function writeAccountKeyChanges(
  rows: RowWriter, blockHeight: number, transaction: DecodedTransaction, output: DeriveOutput,
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
  if (keyIndex === undefined) rows.null()
  else rows.int4(keyIndex)
  if (key?.weight === undefined) rows.null()
  else rows.int4(key.weight)
  if (key === undefined) rows.null()
  else rows.int2(key.signingAlgorithm)
  if (key?.hashingAlgorithm === undefined) rows.null()
  else rows.int2(key.hashingAlgorithm)
  rows.bool(isRemoved)
  rows.text(address)
  if (key === undefined) rows.null()
  else rows.bytea(key.publicKey)
}
