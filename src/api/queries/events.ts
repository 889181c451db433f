import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { tagEventPatterns } from '../../chain/transaction-tags.ts'
import { eventRow } from '../presenters/event.ts'
import type { EventRow } from '../presenters/event.ts'
import type { TaggedTransaction, TransactionRow } from '../presenters/transaction.ts'
import type { TransactionPlace } from './transactions.ts'

const tagEventRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  type: z.string(),
  amount: z.string().nullable(),
  to: z.string().nullable(),
})

const patterns = sql.array(tagEventPatterns, 'text')

/** Joins transactions to the events that their tags and fees are made of; each is looked up by its place. */
export async function withTagEvents(
  database: DatabasePool, rows: readonly TransactionRow[],
): Promise<TaggedTransaction[]> {
  if (rows.length === 0) return []
  const heights = rows.map((row) => row.block_height)
  const indexes = rows.map((row) => row.tx_index)
  const found = await database.any(sql.type(tagEventRow)`
    select e.block_height, e.tx_index, e.type, e.payload ->> 'amount' as amount, e.payload ->> 'to' as to
    from unnest(${sql.array(heights, 'int8')}, ${sql.array(indexes, 'int4')}) as place(height, index)
    join raw.events e on e.block_height = place.height and e.tx_index = place.index
      and e.block_height between ${Math.min(...heights)} and ${Math.max(...heights)}
    where e.type like any (${patterns})
    order by e.block_height, e.tx_index, e.event_index
  `)
  const byPlace = Map.groupBy(found, (event) => `${event.block_height}:${event.tx_index}`)
  return rows.map((row) => ({ row, tagEvents: byPlace.get(`${row.block_height}:${row.tx_index}`) ?? [] }))
}

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
