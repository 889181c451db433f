import type { RowWriter } from '../src/base/row-writer.ts'
import { isZeroAddress } from '../src/chain/address.ts'
import type { DecodedTransaction } from '../src/chain/decoded-block.ts'
import type { DeriveOutput, Fold, HeightTable, Worker } from './worker.ts'

/** One row for each account that took part in a block, or was created in it. */
const sightings: HeightTable = {
  name: 'app.account_sightings',
  columns: ['block_height', 'address', 'created_tx_index'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/**
 * One row for each account: first and last block, and creation, by the indexes of the history, which give each without
 * reading what lies between.
 */
const accounts: Fold = {
  kind: 'state',
  name: 'app.accounts',
  key: [{ column: 'address', type: 'text' }],
  reads: [sightings.name],
  touched: 'select distinct address from app.account_sightings where block_height >= $1 and block_height < $2',
  fold: `
    with keys as (select unnest($1::text[]) as address),
    seen as (
      select k.address, first.block_height as first_height, last.block_height as last_height,
        created.block_height as created_height, created.created_tx_index
      from keys k
      cross join lateral (
        select s.block_height from app.account_sightings s
        where s.address = k.address order by s.block_height limit 1
      ) first
      cross join lateral (
        select s.block_height from app.account_sightings s
        where s.address = k.address order by s.block_height desc limit 1
      ) last
      left join lateral (
        select s.block_height, s.created_tx_index from app.account_sightings s
        where s.address = k.address and s.created_tx_index is not null order by s.block_height limit 1
      ) created on true
    ), gone as (
      delete from app.accounts a using keys k
      where a.address = k.address and not exists (select from seen s where s.address = a.address)
    )
    insert into app.accounts as a (address, first_seen_height, last_seen_height, created_height, created_tx_index)
    select address, first_height, last_height, created_height, created_tx_index from seen order by address
    on conflict (address) do update
    set first_seen_height = excluded.first_seen_height, last_seen_height = excluded.last_seen_height,
      created_height = excluded.created_height, created_tx_index = excluded.created_tx_index
    where (a.first_seen_height, a.last_seen_height, a.created_height, a.created_tx_index) is distinct from
      (excluded.first_seen_height, excluded.last_seen_height, excluded.created_height, excluded.created_tx_index)`,
}

/**
 * Accounts by what they did: paid, proposed, authorized, or were created. The chain's own transactions do not count:
 * the same account authorizes them in every block.
 */
export const accountsWorker: Worker = {
  name: 'accounts_worker',
  description: 'Accounts: when they were created, seen first and seen last',
  phase: 1,
  follows: [],
  tables: [sightings],
  folds: [accounts],
  derive({ blocks }, output) {
    for (const { height, transactions } of blocks) {
      const seen = new Map<string, number | undefined>()
      for (const transaction of transactions) lookAt(transaction, height, seen, output)
      if (seen.size > 0) write(output.rows(sightings.name), height, seen)
    }
  },
}

/** Adds the accounts of a transaction to those of its block, each with the transaction that created it, if one did. */
function lookAt(
  transaction: DecodedTransaction, height: number, seen: Map<string, number | undefined>, output: DeriveOutput,
): void {
  const { index: txIndex, payer, proposer, authorizers, isSystem, events } = transaction
  const see = (address: string | undefined): void => {
    if (address !== undefined && !seen.has(address) && !isZeroAddress(address)) seen.set(address, undefined)
  }
  if (!isSystem) {
    see(payer)
    see(proposer)
    authorizers.forEach(see)
  }
  for (const event of events) {
    if (event.type !== 'flow.AccountCreated' || event.fields === undefined) continue
    const { address } = event.fields
    if (typeof address === 'string' && address.length === 18 && address.startsWith('0x')) seen.set(address, txIndex)
    else {
      output.problem({
        blockHeight: height, txIndex, eventIndex: event.index, eventType: event.type, code: 'account-event-shape',
        message: 'field address is not an Address',
      })
    }
  }
}

function write(rows: RowWriter, height: number, seen: ReadonlyMap<string, number | undefined>): void {
  for (const address of [...seen.keys()].toSorted()) {
    const createdBy = seen.get(address)
    rows.row(sightings.columns.length)
    rows.int8(height)
    rows.text(address)
    if (createdBy === undefined) rows.null()
    else rows.int4(createdBy)
  }
}
