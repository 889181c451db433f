import type { RowWriter } from '../src/platform/row-writer.ts'
import { isZeroAddress } from '../src/flow/address.ts'
import type { DecodedTransaction } from '../src/flow/decoded-block.ts'
import { addressField, FieldShapeError } from '../src/flow/event-fields.ts'
import type { DeriveOutput, HeightTable, StateFold, SumFold, Worker } from './worker.ts'
import { createdCoas } from '../src/flow/accounts/created-coas.ts'
import type { Network } from '../src/flow/network.ts'

const addressTransactions: HeightTable = {
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
 * System transactions count only for created accounts: the same account authorizes them in every
 * block.
 */
class AddressTransactions {
  readonly #byAddress = new Map<string, Part[]>()

  /** In chain order. */
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

const inRange = 'block_height >= $1 and block_height < $2'

/** First and last block are found by index; creation is the first row. */
const accounts: StateFold = {
  kind: 'state',
  name: 'app.accounts',
  key: [{ column: 'address', type: 'text' }],
  reads: [addressTransactions.name],
  touched: `select distinct address from app.address_transactions where ${inRange}`,
  fold: `
    with keys as (select unnest($1::text[]) as address),
    seen as (
      select k.address, first.block_height as first_height, last.block_height as last_height,
        case when first.is_created then first.block_height end as created_height,
        case when first.is_created then first.tx_index end as created_tx_index
      from keys k
      cross join lateral (
        select h.block_height, h.tx_index, h.is_created from app.address_transactions h
        where h.address = k.address order by h.block_height, h.tx_index limit 1
      ) first
      cross join lateral (
        select h.block_height from app.address_transactions h
        where h.address = k.address order by h.block_height desc, h.tx_index desc limit 1
      ) last
    ), gone as (
      delete from app.accounts a using keys k
      where a.address = k.address
        and not exists (select from app.address_transactions h where h.address = k.address)
    )
    insert into app.accounts as a (address, first_seen_height, last_seen_height, created_height, created_tx_index)
    select address, first_height, last_height, created_height, created_tx_index from seen order by address
    on conflict (address) do update
    set first_seen_height = excluded.first_seen_height, last_seen_height = excluded.last_seen_height,
      created_height = excluded.created_height, created_tx_index = excluded.created_tx_index
    where (a.first_seen_height, a.last_seen_height, a.created_height, a.created_tx_index) is distinct from
      (excluded.first_seen_height, excluded.last_seen_height, excluded.created_height, excluded.created_tx_index)`,
  merge: `
    insert into app.accounts as a (address, first_seen_height, last_seen_height, created_height, created_tx_index)
    select address, block_height, last_height, case when is_created then block_height end,
      case when is_created then tx_index end
    from (
      select distinct on (address) address, block_height, tx_index, is_created,
        max(block_height) over (partition by address) as last_height
      from app.address_transactions where ${inRange} order by address, block_height, tx_index
    ) first
    order by address
    on conflict (address) do update
    set first_seen_height = least(a.first_seen_height, excluded.first_seen_height),
      last_seen_height = greatest(a.last_seen_height, excluded.last_seen_height),
      created_height = case when excluded.first_seen_height < a.first_seen_height
        then excluded.created_height else a.created_height end,
      created_tx_index = case when excluded.first_seen_height < a.first_seen_height
        then excluded.created_tx_index else a.created_tx_index end
    where excluded.first_seen_height < a.first_seen_height or excluded.last_seen_height > a.last_seen_height`,
}

/** Created accounts without transactions have no row. */
const addressStats: SumFold = {
  kind: 'sum',
  name: 'app.address_stats',
  key: [{ column: 'address', type: 'text' }],
  sums: [
    { column: 'tx_count', type: 'bigint' },
    { column: 'gas_used', type: 'bigint' },
  ],
  presence: 'tx_count',
  of: addressTransactions.name,
  touched: `select distinct address from app.address_transactions where ${inRange}`,
  counted: `
    select address, 1::bigint as tx_count, coalesce(gas_used, 0) as gas_used
    from app.address_transactions where ${inRange} and (is_payer or is_proposer or is_authorizer)`,
}

const coaAccounts: HeightTable = {
  name: 'app.coa_accounts',
  columns: ['block_height', 'tx_index', 'event_index', 'coa_address', 'flow_address', 'owner_evidence'],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}

export const accountsWorker: Worker = {
  name: 'accounts_worker',
  description: 'Accounts: transactions, creation, first and last use, EVM accounts',
  phase: 1,
  follows: [],
  tables: [addressTransactions, coaAccounts],
  folds: [accounts, addressStats],
  derive({ blocks }, output, { network }) {
    const parts = new AddressTransactions()
    const coaRows = output.rows(coaAccounts.name)
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        parts.add(height, transaction, output)
        writeCoas(coaRows, height, transaction, network, output)
      }
    }
    parts.write(output.rows(addressTransactions.name))
  },
}

function writeCoas(
  rows: RowWriter,
  blockHeight: number,
  transaction: DecodedTransaction,
  network: Network,
  output: DeriveOutput,
): void {
  const { coas, problems } = createdCoas(transaction, network)
  for (const { eventIndex, coaAddress, owner } of coas) {
    rows.row(coaAccounts.columns.length)
    rows.int8(blockHeight)
    rows.int4(transaction.index)
    rows.int4(eventIndex)
    rows.text(coaAddress)
    if (owner === undefined) {
      rows.null()
      rows.null()
    } else {
      rows.text(owner.address)
      rows.text(owner.evidence)
    }
  }
  for (const problem of problems) {
    output.problem({ blockHeight, txIndex: transaction.index, code: 'coa-event-shape', ...problem })
  }
}
