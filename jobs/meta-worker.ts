import { int2OrNull, int4OrNull } from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import { accountKeyChanges } from '../src/flow/accounts/account-key-events.ts'
import type { AccountKeyChange } from '../src/flow/accounts/account-key-events.ts'
import type { DecodedTransaction } from '../src/flow/decoded-block.ts'
import type { DeriveOutput, HeightTable, StateFold, Worker } from './worker.ts'
import { contractChanges } from '../src/flow/accounts/contract-events.ts'

const accountKeyChangeRows: HeightTable = {
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

function writeAccountKeyChanges(
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

const position = 'block_height, tx_index, event_index'
const keyColumns = 'public_key, signing_algorithm, hashing_algorithm, weight'

/**
 * The key of each event before Cadence 1.0 without a key index, for `addresses (address)`. Key
 * indexes are consecutive. An addition is counted from the last one before it with an index, or
 * back from the first one after it. A revocation by bytes is of the first unrevoked key with these
 * bytes.
 *
 * The planner cannot estimate the touched keys: rows are combined by sorting, and a range of one
 * and the index order force index lookups.
 */
const placed = `
  unplaced as (
    select a.address from addresses a cross join lateral (
      select from app.account_key_changes h
      where h.address between a.address and a.address and h.key_index is null order by h.address limit 1
    ) as unplaced
  ), changes as (
    select h.*, row_number() over (partition by h.address, h.is_removed order by ${position})::integer as place,
      row_number() over (partition by h.address, h.public_key, h.is_removed order by ${position}) as nth
    from unplaced u join app.account_key_changes h on h.address between u.address and u.address
    where not h.is_removed or h.key_index is null
  ), numbered as (
    select c.*, case when not is_removed then place + coalesce(
      max(key_index - place) filter (where not is_removed) over (partition by address order by is_removed, place),
      min(key_index - place) filter (where not is_removed)
        over (partition by address order by is_removed desc, place desc)
    ) end as number
    from changes c
  ), placed as (
    select address, number as key_index, is_removed, ${position}, ${keyColumns}
    from (
      select address, key_index, is_removed, ${position}, ${keyColumns},
        max(number) over (partition by address, public_key, nth) as number
      from numbered
    ) n
    where key_index is null and number >= 0
  )`

const firstIndexed = (isRemoved: boolean): string => `(
  select is_removed, ${position}, ${keyColumns} from app.account_key_changes h
  where h.address = k.address and h.key_index between k.key_index and k.key_index and h.is_removed = ${isRemoved}
  order by h.key_index, ${position} limit 1
)`

const ofAddition = (column: string): string =>
  `(array_agg(${column}) filter (where is_removed = false))[1] as ${column}`

/** An index can follow from later events, so all of history is read. */
const accountKeys: StateFold = {
  kind: 'state',
  name: 'app.account_keys',
  key: [
    { column: 'address', type: 'text' },
    { column: 'key_index', type: 'integer' },
  ],
  reads: [accountKeyChangeRows.name],
  touched: `
    with touched as (
      select address, key_index from app.account_key_changes where block_height >= $1 and block_height < $2
    ), addresses as (select distinct address from touched), ${placed}
    select address, key_index from touched where key_index is not null
    union select address, key_index from placed
    union select k.address, k.key_index
    from unplaced u join app.account_keys k on k.address between u.address and u.address`,
  fold: `
    with keys as (select * from unnest($1::text[], $2::integer[]) as k (address, key_index)),
    addresses as (select distinct address from keys), ${placed}, events as (
      select k.address, k.key_index, e.* from keys k
      cross join lateral (${firstIndexed(false)} union all ${firstIndexed(true)}) e
      union all
      select address, key_index, is_removed, ${position}, ${keyColumns} from placed
      union all
      select address, key_index, null, 0, 0, 0, null, null, null, null from keys
    ), firsts as (
      select distinct on (address, key_index, is_removed) * from events
      order by address, key_index, is_removed, ${position}
    ), resolved as (
      select address, key_index, ${keyColumns.split(', ').map(ofAddition).join(', ')},
        coalesce(bool_or(is_removed), false) as is_revoked, count(is_removed) = 0 as is_gone,
        max(block_height) filter (where not is_removed) as added_height,
        max(tx_index) filter (where not is_removed) as added_tx_index,
        max(block_height) filter (where is_removed) as revoked_height,
        max(tx_index) filter (where is_removed) as revoked_tx_index
      from firsts group by address, key_index
    ), gone as (
      delete from app.account_keys t using resolved r
      where r.is_gone and t.address = r.address and t.key_index = r.key_index
    )
    insert into app.account_keys as t (
      address, key_index, ${keyColumns}, is_revoked, added_height, added_tx_index, revoked_height, revoked_tx_index
    )
    select address, key_index, ${keyColumns}, is_revoked, added_height, added_tx_index, revoked_height, revoked_tx_index
    from resolved where not is_gone order by address, key_index
    on conflict (address, key_index) do update
    set public_key = excluded.public_key, signing_algorithm = excluded.signing_algorithm,
      hashing_algorithm = excluded.hashing_algorithm, weight = excluded.weight, is_revoked = excluded.is_revoked,
      added_height = excluded.added_height, added_tx_index = excluded.added_tx_index,
      revoked_height = excluded.revoked_height, revoked_tx_index = excluded.revoked_tx_index
    where t is distinct from excluded`,
}

const contractVersions: HeightTable = {
  name: 'app.contract_versions',
  columns: ['block_height', 'tx_index', 'event_index', 'change', 'address', 'name', 'code_hash'],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}

function writeContractChanges(
  rows: RowWriter,
  blockHeight: number,
  transaction: DecodedTransaction,
  output: DeriveOutput,
): void {
  const { changes, problems } = contractChanges(transaction)
  for (const { eventIndex, change, address, name, codeHash } of changes) {
    rows.row(contractVersions.columns.length)
    rows.int8(blockHeight)
    rows.int4(transaction.index)
    rows.int4(eventIndex)
    rows.text(change)
    rows.text(address)
    rows.text(name)
    rows.bytea(codeHash)
  }
  for (const problem of problems) {
    output.problem({ blockHeight, txIndex: transaction.index, code: 'contract-event-shape', ...problem })
  }
}

/**
 * Removed contracts can be added again. The range of one and the sort order make the planner use
 * the index.
 */
const smartContracts: StateFold = {
  kind: 'state',
  name: 'app.smart_contracts',
  key: [
    { column: 'address', type: 'text' },
    { column: 'name', type: 'text' },
  ],
  reads: [contractVersions.name],
  touched: 'select distinct address, name from app.contract_versions where block_height >= $1 and block_height < $2',
  fold: `
    with keys as (select * from unnest($1::text[], $2::text[]) as k (address, name)),
    known as (
      select k.address, k.name, first.created_height, first.created_tx_index, last.block_height, last.tx_index,
        last.event_index, last.change = 'removed' as is_removed, last.code_hash
      from keys k
      cross join lateral (
        select h.block_height, h.tx_index, h.event_index, h.change, h.code_hash from app.contract_versions h
        where h.address = k.address and h.name between k.name and k.name
        order by h.name desc, h.block_height desc, h.tx_index desc, h.event_index desc limit 1
      ) last
      cross join lateral (
        select case when h.change = 'added' then h.block_height end as created_height,
          case when h.change = 'added' then h.tx_index end as created_tx_index
        from app.contract_versions h
        where h.address = k.address and h.name between k.name and k.name
        order by h.name, h.block_height, h.tx_index, h.event_index limit 1
      ) first
    ), gone as (
      delete from app.smart_contracts t using keys k
      where t.address = k.address and t.name = k.name
        and not exists (select from app.contract_versions h where h.address = k.address and h.name = k.name)
    )
    insert into app.smart_contracts as t (
      address, name, created_height, created_tx_index, updated_height, updated_tx_index, updated_event_index,
      is_removed, code_hash
    )
    select * from known order by address, name
    on conflict (address, name) do update
    set created_height = excluded.created_height, created_tx_index = excluded.created_tx_index,
      updated_height = excluded.updated_height, updated_tx_index = excluded.updated_tx_index,
      updated_event_index = excluded.updated_event_index, is_removed = excluded.is_removed,
      code_hash = excluded.code_hash
    where t is distinct from excluded`,
}

export const metaWorker: Worker = {
  name: 'meta_worker',
  description: 'Account keys and contracts',
  phase: 1,
  follows: [],
  tables: [accountKeyChangeRows, contractVersions],
  folds: [accountKeys, smartContracts],
  derive({ blocks }, output) {
    const keyRows = output.rows(accountKeyChangeRows.name)
    const contractRows = output.rows(contractVersions.name)
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        writeAccountKeyChanges(keyRows, height, transaction, output)
        writeContractChanges(contractRows, height, transaction, output)
      }
    }
  },
}
