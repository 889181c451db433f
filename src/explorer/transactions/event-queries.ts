import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { DecodedEvent } from '../../flow/decoded-block.ts'
import { eventsOfChunk, eventsPerChunk, fieldsOf, EventShapes } from '../../flow/event-shape.ts'
import type { EventShape } from '../../flow/event-shape.ts'
import type { PayloadFields, PayloadValue } from '../../flow/payload-value.ts'
import { databaseIdentity } from '../../platform/db/database-identity.ts'
import type { TransactionPlace } from './queries.ts'
import type { EventRow } from './schema.ts'

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

const shapeRow = z.object({ id: z.number(), type: z.string(), fields: z.array(z.string()) })

/** Those of each pool, and the database that they are of: where one was restored, their numbers may mean other shapes. */
const known = new WeakMap<DatabasePool, { readonly shapes: EventShapes; readonly identity: string }>()

/**
 * The shapes of stored events.
 * @param identity of the database in which the events were read
 */
function eventShapes(database: DatabasePool, identity: string): EventShapes {
  const cached = known.get(database)
  if (cached?.identity === identity) return cached.shapes
  const shapes = new EventShapes((ids) =>
    database.any(sql.type(shapeRow)`
    select id, type, fields from raw.event_shapes where id = any (${sql.array([...ids], 'int4')})
  `),
  )
  known.set(database, { shapes, identity })
  return shapes
}

/** What a statement on raw.event_chunks as `c` selects to be read by `unpackEvents`. Arrays of JSON come quicker as its text. */
export const chunkColumns = sql.fragment`
  c.block_height, c.tx_index, c.first_event_index, array_to_json(c.shapes)::text as shapes, array_to_json(c.payloads)::text as payloads,
  (${databaseIdentity}) as database
`

export const chunkRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  first_event_index: z.number(),
  shapes: z.string(),
  payloads: z.string(),
  database: z.string(),
})

/** An event with its place. */
interface PlacedEvent {
  readonly height: number
  readonly txIndex: number
  readonly event: DecodedEvent
}

/** The events of rows, in their order. */
export async function unpackEvents(
  database: DatabasePool,
  rows: readonly z.output<typeof chunkRow>[],
): Promise<readonly PlacedEvent[]> {
  const [first] = rows
  if (first === undefined) return []
  const shapes = await eventShapes(database, first.database).ofAll(
    rows.map((row) => JSON.parse(row.shapes) as number[]),
  )
  return rows.flatMap((row, i) =>
    eventsOfChunk({ firstEventIndex: row.first_event_index, shapes: shapes[i] ?? [], payloads: row.payloads }).map(
      (event) => ({ height: row.block_height, txIndex: row.tx_index, event }),
    ),
  )
}

/**
 * The columns by which `fieldOfEvent` reads one event of the row `c` that holds it: its row is the one at `chunkStart`.
 * @param eventIndex its position in the transaction
 */
export function eventColumns(eventIndex: FragmentSqlToken): FragmentSqlToken {
  const place = sql.fragment`${eventIndex} % ${eventsPerChunk} + 1`
  return sql.fragment`
    c.shapes[${place}] as event_shape, c.payloads[${place}]::text as event_values, (${databaseIdentity}) as event_database`
}

/** `first_event_index` of the row that holds an event. */
export function chunkStartOf(eventIndex: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`${eventIndex} - ${eventIndex} % ${eventsPerChunk}`
}

/** What `eventColumns` selects. */
export const singleEvent = { event_shape: z.number(), event_values: z.string().nullable(), event_database: z.string() }
type SingleEvent = z.output<z.ZodObject<typeof singleEvent>>

/** The fields of single events, null where they could not be decoded. */
export async function fieldsOfEvents(
  database: DatabasePool,
  rows: readonly SingleEvent[],
): Promise<readonly (PayloadFields | null)[]> {
  const [first] = rows
  if (first === undefined) return []
  const [shapes = []] = await eventShapes(database, first.event_database).ofAll([rows.map((row) => row.event_shape)])
  return rows.map(({ event_values: values }, i) =>
    values === null ? null : fieldsOf(shapes[i] as EventShape, JSON.parse(values) as PayloadValue[]),
  )
}

/** The position of a transaction, as derived tables name it. */
export interface MarkedPlace {
  readonly block_height: number
  readonly tx_index: number
}

const markRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  id: z.string(),
  timestamp: z.string(),
  error_message: z.string().nullable(),
})

/** What rows of derived tables do not repeat of their transaction. */
export type TransactionMark = z.output<typeof markRow>

/** Heights of one statement at least: within one partition or two of each table. */
const leastWindow = 200_000

/** Statements at most: rows that are far from each other are looked up in more partitions at once rather than by more statements. */
const mostStatements = 4

/**
 * Reads by position, in statements that each stay within few partitions: the rows of one page may be years apart, and a
 * statement over years is planned for all partitions between.
 * @param most statements at most; 1 for one that is prepared, which leaves partitions out when it begins and is not planned again
 */
export async function readByPlaces<Place extends { readonly block_height: number }, Row>(
  places: readonly Place[],
  read: (places: readonly Place[], low: number, high: number) => Promise<readonly Row[]>,
  most = mostStatements,
): Promise<readonly Row[]> {
  if (places.length === 0) return []
  const [lowest, highest] = endsOf(places)
  const width = Math.max(leastWindow, Math.ceil((highest - lowest + 1) / most))
  const windows = Map.groupBy(places, ({ block_height: height }) => Math.floor((height - lowest) / width))
  const found = await Promise.all([...windows.values()].map((ofWindow) => read(ofWindow, ...endsOf(ofWindow))))
  return found.flat()
}

function endsOf(places: ReadonlyArray<{ readonly block_height: number }>): readonly [lowest: number, highest: number] {
  const heights = places.map((place) => place.block_height)
  return [Math.min(...heights), Math.max(...heights)]
}

/**
 * Ids of transactions and the times of their blocks, by position. What is not stored is not in it. The places of a page may
 * lie anywhere: their heights given as values leave out all partitions but theirs, which a join would not.
 */
export async function readTransactionMarks(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<ReadonlyMap<string, TransactionMark>> {
  const distinct = [...new Map(places.map((place) => [markKey(place), place])).values()]
  if (distinct.length === 0) return new Map()
  const heights = sql.array(
    distinct.map((place) => place.block_height),
    'int8',
  )
  const rows = await database.any(sql.type(markRow)`
    select t.block_height, t.tx_index, encode(t.id, 'hex') as id, b.timestamp, t.error_message
    from unnest(${heights}, ${sql.array(
      distinct.map((place) => place.tx_index),
      'int4',
    )}) as place (height, index)
    join raw.transactions t on t.block_height = place.height and t.tx_index = place.index
      and t.block_height = any (${heights})
    join raw.blocks b on b.height = t.block_height and b.height = any (${heights})
  `)
  return new Map(rows.map((row) => [markKey(row), row]))
}

/** Of a place in the map that `readTransactionMarks` gives. */
export function markKey({ block_height: height, tx_index: index }: MarkedPlace): string {
  return `${height}:${index}`
}

/** A row with its transaction. */
export interface Marked<Row> {
  readonly row: Row
  readonly mark: TransactionMark
}

/** Joins rows to their transactions. Rows are derived from stored blocks, so that each has one, unless it is rolled back now. */
export async function withMarks<Row extends MarkedPlace>(
  database: DatabasePool,
  rows: readonly Row[],
): Promise<ReadonlyArray<Marked<Row>>> {
  const marks = await readTransactionMarks(database, rows)
  return rows.flatMap((row) => {
    const mark = marks.get(markKey(row))
    return mark === undefined ? [] : [{ row, mark }]
  })
}
