import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { coaRow } from '../presenters/coa.ts'
import type { CoaRow } from '../presenters/coa.ts'
import type { EventKey } from '../paging/event-pages.ts'

/** The creations of an EVM account by Cadence, or those whose resource an account got: up to `count` after a place. */
export async function listCoas(
  database: DatabasePool,
  address: string,
  after: EventKey | undefined,
  count: number,
): Promise<readonly CoaRow[]> {
  const { height, txIndex, eventIndex } = after ?? { height: -1, txIndex: -1, eventIndex: -1 }
  const isEvm = address.length === 42
  const whose = isEvm ? sql.fragment`coa_address = ${address}` : sql.fragment`flow_address = ${address}`
  return database.any(sql.type(coaRow)`
    select block_height, tx_index, event_index, coa_address, flow_address, owner_evidence
    from app.coa_accounts
    where ${whose} and (block_height, tx_index, event_index) > (${height}, ${txIndex}, ${eventIndex})
    order by block_height, tx_index, event_index
    limit ${count}
  `)
}
