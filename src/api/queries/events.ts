import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { eventRow } from '../presenters/event.ts'
import type { EventRow } from '../presenters/event.ts'
import { readByPlaces } from './transaction-marks.ts'
import type { MarkedPlace } from './transaction-marks.ts'
import type { TransactionPlace } from './transactions.ts'

/** An event that is read together with those of other blocks. */
export const placedEventRow = eventRow.extend({ block_height: z.number() })
export type PlacedEventRow = z.output<typeof placedEventRow>

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

/** All events of some transactions, those of each in order. */
export async function readEventsOfPlaces(
  database: DatabasePool, places: readonly MarkedPlace[],
): Promise<readonly PlacedEventRow[]> {
  return readByPlaces(places, (ofWindow, low, high) => database.any(sql.type(placedEventRow)`
    select e.block_height, e.tx_index, e.event_index, e.type, e.payload
    from unnest(
      ${sql.array(ofWindow.map((place) => place.block_height), 'int8')},
      ${sql.array(ofWindow.map((place) => place.tx_index), 'int4')}
    ) as place (height, index)
    join raw.events e on e.block_height = place.height and e.tx_index = place.index
      and e.block_height between ${low} and ${high}
    order by e.block_height, e.tx_index, e.event_index
  `))
}
