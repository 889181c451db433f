import type { RowWriter } from '../../src/platform/row-writer.ts'
import { contractChanges } from '../../src/flow/accounts/contract-events.ts'
import type { DecodedTransaction } from '../../src/flow/decoded-block.ts'
import type { DeriveOutput, HeightTable, StateFold } from '../worker.ts'

/** One row for each event that added, updated or removed a contract. */
export const contractVersions: HeightTable = {
  name: 'app.contract_versions',
  columns: ['block_height', 'tx_index', 'event_index', 'change', 'address', 'name', 'code_hash'],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}

export function writeContractChanges(
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
 * One row for each contract, as its last change left it. A removed one keeps its row, and may come back. The name comes
 * as a range of one, and into the order: else the planner may read the primary key until it meets the contract.
 */
export const smartContracts: StateFold = {
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
