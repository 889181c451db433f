import type { RowWriter } from '../../src/platform/row-writer.ts'
import { isZeroAddress } from '../../src/flow/address.ts'
import type { DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { addressField, FieldShapeError } from '../../src/flow/event-fields.ts'
import type { DeriveOutput, HeightTable } from '../worker.ts'

/** One row for each account that has a part in a transaction. */
export const addressTransactions: HeightTable = {
  name: 'app.address_transactions',
  columns: [
    'block_height',
    'gas_used',
    'tx_index',
    'is_payer',
    'is_proposer',
    'is_authorizer',
    'is_created',
    'address',
  ],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

interface Part {
  readonly blockHeight: number
  readonly transaction: DecodedTransaction
  readonly isCreated: boolean
}

/**
 * The parts of accounts in the transactions of a range, gathered by account. The chain's own transactions do not count
 * but for what they create: the same account authorizes them in every block.
 */
export class AddressTransactions {
  readonly #byAddress = new Map<string, Part[]>()

  /** Transactions come in the order of the chain. */
  add(blockHeight: number, transaction: DecodedTransaction, output: DeriveOutput): void {
    for (const address of createdAccounts(transaction, blockHeight, output)) {
      this.#addPart(address, { blockHeight, transaction, isCreated: true })
    }
    if (transaction.isSystem) return
    const part: Part = { blockHeight, transaction, isCreated: false }
    this.#addPart(transaction.payer, part)
    this.#addPart(transaction.proposer, part)
    for (const address of transaction.authorizers) this.#addPart(address, part)
  }

  write(rows: RowWriter): void {
    for (const address of [...this.#byAddress.keys()].toSorted()) {
      for (const part of this.#byAddress.get(address) ?? []) writePart(rows, address, part)
    }
  }

  #addPart(address: string | undefined, part: Part): void {
    if (address === undefined || isZeroAddress(address)) return
    const parts = this.#byAddress.get(address)
    if (parts === undefined) this.#byAddress.set(address, [part])
    else if (parts.at(-1)?.transaction !== part.transaction) parts.push(part)
  }
}

function writePart(rows: RowWriter, address: string, { blockHeight, transaction, isCreated }: Part): void {
  const { index: txIndex, isSystem, payer, proposer, authorizers, gasUsed } = transaction
  const isPayer = !isSystem && address === payer
  rows.row(addressTransactions.columns.length)
  rows.int8(blockHeight)
  if (isPayer && gasUsed !== undefined) rows.int8(gasUsed)
  else rows.null()
  rows.int4(txIndex)
  rows.bool(isPayer)
  rows.bool(!isSystem && address === proposer)
  rows.bool(!isSystem && authorizers.includes(address))
  rows.bool(isCreated)
  rows.text(address)
}

const none: readonly string[] = []

function createdAccounts(
  { index: txIndex, events }: DecodedTransaction,
  blockHeight: number,
  output: DeriveOutput,
): readonly string[] {
  let created: string[] | undefined
  for (const { type, index: eventIndex, fields } of events.filter((event) => event.type === 'flow.AccountCreated')) {
    if (fields === undefined) continue
    try {
      ;(created ??= []).push(addressField(fields))
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      const { message } = error
      output.problem({ blockHeight, txIndex, eventIndex, eventType: type, code: 'account-event-shape', message })
    }
  }
  return created ?? none
}
