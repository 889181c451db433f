import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { eventRow } from '../presenters/event.ts'
import type { EventRow } from '../presenters/event.ts'
import type { TransactionPlace } from './transactions.ts'

/** All events of a transaction, in order. */
export async function readEventsOfTransaction(
  database: DatabasePool, { height, index }: TransactionPlace,
): Promise<readonly EventRow[]> {
  return database.any(sql.type(eventRow)`
    select tx_index, event_index, type, payload from raw.events
    where block_height = ${height} and tx_index = ${index}
    order by event_index
  `)
}

/** All events of a block, in order; with `types` only those. */
export async function readEventsOfBlock(
  database: DatabasePool, height: number, types?: readonly string[],
): Promise<readonly EventRow[]> {
  const filter = types === undefined ? sql.fragment`true` : sql.fragment`type = any (${sql.array(types, 'text')})`
  return database.any(sql.type(eventRow)`
    select tx_index, event_index, type, payload from raw.events
    where block_height = ${height} and ${filter}
    order by tx_index, event_index
  `)
}
