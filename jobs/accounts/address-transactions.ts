import type { RowWriter } from '../../src/base/row-writer.ts'
import { isZeroAddress } from '../../src/chain/address.ts'
import type { DecodedTransaction } from '../../src/chain/decoded-block.ts'
import { addressField, FieldShapeError } from '../../src/chain/event-fields.ts'
import type { DeriveOutput, HeightTable } from '../worker.ts'

/** One row for each account that has a part in a transaction. */
export const addressTransactions: HeightTable = {
  name: 'app.address_transactions',
  columns: [
    'block_height', 'gas_used', 'tx_index', 'is_payer', 'is_proposer', 'is_authorizer', 'is_created', 'address',
  ],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/**
 * Writes the accounts that have a part in a transaction, in the order of their addresses. The chain's own transactions do
 * not count but for what they create: the same account authorizes them in every block.
 */
export function writeAddressTransactions(
  rows: RowWriter, blockHeight: number, transaction: DecodedTransaction, output: DeriveOutput,
): void {
  const { index: txIndex, isSystem, payer, proposer, authorizers, gasUsed } = transaction
  const created = createdAccounts(transaction, blockHeight, output)
  const addresses = new Set(created)
  if (!isSystem) for (const address of [payer, proposer, ...authorizers]) if (isAccount(address)) addresses.add(address)
  for (const address of addresses.size > 1 ? [...addresses].toSorted() : addresses) {
    const isPayer = !isSystem && address === payer
    rows.row(addressTransactions.columns.length)
    rows.int8(blockHeight)
    if (isPayer && gasUsed !== undefined) rows.int8(gasUsed)
    else rows.null()
    rows.int4(txIndex)
    rows.bool(isPayer)
    rows.bool(!isSystem && address === proposer)
    rows.bool(!isSystem && authorizers.includes(address))
    rows.bool(created.includes(address))
    rows.text(address)
  }
}

function isAccount(address: string | undefined): address is string {
  return address !== undefined && !isZeroAddress(address)
}

const none: readonly string[] = []

function createdAccounts(
  { index: txIndex, events }: DecodedTransaction, blockHeight: number, output: DeriveOutput,
): readonly string[] {
  let created: string[] | undefined
  for (const { type, index: eventIndex, fields } of events.filter((event) => event.type === 'flow.AccountCreated')) {
    if (fields === undefined) continue
    try {
      (created ??= []).push(addressField(fields))
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      const { message } = error
      output.problem({ blockHeight, txIndex, eventIndex, eventType: type, code: 'account-event-shape', message })
    }
  }
  return created ?? none
}
