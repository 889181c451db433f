import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { EventRow } from '../presenters/event.ts'
import { chunkColumns, chunkRow, unpackEvents } from './event-chunks.ts'
import type { PlacedEvent } from './event-chunks.ts'
import { readByPlaces } from './transaction-marks.ts'
import type { MarkedPlace } from './transaction-marks.ts'
import type { TransactionPlace } from './transactions.ts'

/** An event that is read together with those of other blocks. */
export interface PlacedEventRow extends EventRow {
  readonly block_height: number
}

/** All events of a transaction, in order. */
export async function readEventsOfTransaction(
  database: DatabasePool,
  { height, index }: TransactionPlace,
): Promise<readonly EventRow[]> {
  return readEvents(database, sql.fragment`c.block_height = ${height} and c.tx_index = ${index}`)
}

/** All events of a block, in order; with `types` only those. */
export async function readEventsOfBlock(
  database: DatabasePool,
  height: number,
  types?: readonly string[],
): Promise<readonly EventRow[]> {
  const inBlock = sql.fragment`c.block_height = ${height}`
  if (types === undefined) return readEvents(database, inBlock)
  const events = await readEvents(database, sql.fragment`${inBlock} and ${hasTypes(types)}`)
  return events.filter(({ type }) => types.includes(type))
}

/** All events of some transactions, those of each in order. */
export async function readEventsOfPlaces(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<readonly PlacedEventRow[]> {
  return (await readDecodedEvents(database, places)).map(placedEventRow)
}

/** The same, as workers see them. */
export async function readDecodedEvents(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<readonly PlacedEvent[]> {
  const chunks = await readByPlaces(places, (ofWindow, low, high) =>
    database.any(sql.type(chunkRow)`
    select ${chunkColumns}
    from unnest(
      ${sql.array(
        ofWindow.map((place) => place.block_height),
        'int8',
      )},
      ${sql.array(
        ofWindow.map((place) => place.tx_index),
        'int4',
      )}
    ) as place (height, index)
    join raw.event_chunks c on c.block_height = place.height and c.tx_index = place.index
      and c.block_height between ${low} and ${high}
    order by c.block_height, c.tx_index, c.first_event_index
  `),
  )
  return unpackEvents(database, chunks)
}

/** Whether a row of raw.event_chunks as `c` has events of these types. */
export function hasTypes(types: readonly string[]): FragmentSqlToken {
  return sql.fragment`
    c.shapes && array(select id from raw.event_shapes where type = any (${sql.array([...types], 'text')}))
  `
}

export function placedEventRow({ height, txIndex, event }: PlacedEvent): PlacedEventRow {
  return {
    block_height: height,
    tx_index: txIndex,
    event_index: event.index,
    type: event.type,
    payload: event.fields ?? null,
  }
}

async function readEvents(database: DatabasePool, condition: FragmentSqlToken): Promise<readonly PlacedEventRow[]> {
  const chunks = await database.any(sql.type(chunkRow)`
    select ${chunkColumns} from raw.event_chunks c
    where ${condition} order by c.block_height, c.tx_index, c.first_event_index
  `)
  return (await unpackEvents(database, chunks)).map(placedEventRow)
}
