import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { DecodedEvent } from '../../flow/decoded-block.ts'
import { eventsOfChunk, eventsPerChunk, fieldsOf, EventShapes } from '../../flow/event-shape.ts'
import type { EventShape } from '../../flow/event-shape.ts'
import type { PayloadFields, PayloadValue } from '../../flow/payload-value.ts'
import { databaseIdentityFragment } from '../../platform/db/slonik.ts'
import type { EventRow } from './schema.ts'
import { readBoundsOfDays } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { eventCursor, parseEventCursor, readEventPage } from '../paging/event-pages.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { listOf, page, pageUpTo } from '../paging/pages.ts'
import { dayFilters, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { eventTypeList } from './event-types.ts'
import { exampleEvent, eventSchema, presentEvent } from './schema.ts'

/**
 * Text of the events in one response, about: events may be 32 times as long as on the chain, and a
 * page may have those of 100 transactions.
 */
export const maxEventBytes = 16 * 1024 * 1024

/** Compressed, as stored: their text has at most 90 times as many. */
export const maxStoredBytes = 256 * 1024

export interface PlacedEventRow extends EventRow {
  readonly block_height: number
}

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

/** On a row `c` of raw.event_chunks. */
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

/** A restored database may number shapes differently. */
const known = new WeakMap<DatabasePool, { readonly shapes: EventShapes; readonly identity: string }>()

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

/** Text arrives faster than JSON arrays. */
export const chunkColumns = sql.fragment`
  c.block_height, c.tx_index, c.first_event_index, array_to_json(c.shapes)::text as shapes,
  array_to_json(c.payloads)::text as payloads,
  (${databaseIdentityFragment}) as database
`

/** As `chunkColumns`, without payloads beyond `maxStoredBytes` of the rows before. */
const boundedColumns = sql.fragment`
  c.block_height, c.tx_index, c.first_event_index, array_to_json(c.shapes)::text as shapes,
  case when c.stored_before < ${maxStoredBytes} then array_to_json(c.payloads)::text end as payloads,
  (${databaseIdentityFragment}) as database
`

const newestFirst = sql.fragment`c.block_height desc, c.tx_index desc, c.first_event_index desc`

function boundedChunks(condition: FragmentSqlToken, count: number): FragmentSqlToken {
  return sql.fragment`
    (
      select c.*, coalesce(sum(pg_column_size(c.payloads)) over (
        order by ${newestFirst} rows between unbounded preceding and 1 preceding
      ), 0) as stored_before
      from raw.event_chunks c where ${condition} order by ${newestFirst} limit ${count}
    ) as c
  `
}

export const chunkRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  first_event_index: z.number(),
  shapes: z.string(),
  payloads: z.string(),
  database: z.string(),
})

export interface PlacedEvent {
  readonly height: number
  readonly txIndex: number
  readonly event: DecodedEvent
}

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

/** First event index, shapes and payloads of a row of raw.event_chunks as JSON. */
export const jsonChunk = z.tuple([z.number(), z.array(z.number()), z.array(z.array(z.unknown()).nullable())])

export interface JsonChunks {
  readonly database: string
  readonly events: readonly z.output<typeof jsonChunk>[] | null
}

export async function unpackEventRows(
  database: DatabasePool,
  txIndex: number,
  { database: identity, events: chunks }: JsonChunks,
): Promise<EventRow[]> {
  if (chunks === null) return []
  const shapes = await eventShapes(database, identity).ofAll(chunks.map(([, ids]) => ids))
  return chunks.flatMap(([first, , payloads], i) =>
    (shapes[i] ?? []).map((shape, place) => {
      const values = payloads[place] ?? null
      return {
        tx_index: txIndex,
        event_index: first + place,
        type: shape.type,
        payload: values === null ? null : fieldsOf(shape, values as PayloadValue[]),
      }
    }),
  )
}

/** Requires a row `c` at `chunkStartOf`. */
export function eventColumns(eventIndex: FragmentSqlToken): FragmentSqlToken {
  const place = sql.fragment`${eventIndex} % ${eventsPerChunk} + 1`
  return sql.fragment`
    c.shapes[${place}] as event_shape, c.payloads[${place}]::text as event_values,
    (${databaseIdentityFragment}) as event_database`
}

export function chunkStartOf(eventIndex: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`${eventIndex} - ${eventIndex} % ${eventsPerChunk}`
}

export const singleEvent = { event_shape: z.number(), event_values: z.string().nullable(), event_database: z.string() }
type SingleEvent = z.output<z.ZodObject<typeof singleEvent>>

/** Null if undecodable. */
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

export type TransactionMark = z.output<typeof markRow>

/** One or two partitions per table. */
const minWindow = 200_000

const maxStatements = 4

/**
 * Each statement touches few partitions: rows may be years apart, and a single statement would be
 * planned for every partition between.
 *
 * @param max statements; 1 for a prepared one, which prunes partitions at execution
 */
export async function readByPlaces<Place extends { readonly block_height: number }, Row>(
  places: readonly Place[],
  read: (places: readonly Place[], low: number, high: number) => Promise<readonly Row[]>,
  max = maxStatements,
): Promise<readonly Row[]> {
  if (places.length === 0) return []
  const [lowest, highest] = endsOf(places)
  const width = Math.max(minWindow, Math.ceil((highest - lowest + 1) / max))
  const windows = Map.groupBy(places, ({ block_height: height }) => Math.floor((height - lowest) / width))
  const found = await Promise.all([...windows.values()].map((ofWindow) => read(ofWindow, ...endsOf(ofWindow))))
  return found.flat()
}

function endsOf(places: ReadonlyArray<{ readonly block_height: number }>): readonly [lowest: number, highest: number] {
  const heights = places.map((place) => place.block_height)
  return [Math.min(...heights), Math.max(...heights)]
}

/** Omits transactions that are not stored. Heights passed as values prune partitions. */
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

export function markKey({ block_height: height, tx_index: index }: MarkedPlace): string {
  return `${height}:${index}`
}

export interface Marked<Row> {
  readonly row: Row
  readonly mark: TransactionMark
}

/** Rows are missing only during a rollback. */
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

const nameForm = /^[\w.]{3,200}$/

function nameParameter(description: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(nameForm, 'must be 3 to 200 letters, digits, dots or underscores')
    .describe(description)
    .optional()
}

const eventSearch = defineRoute({
  path: '/flow/events/search',
  operationId: 'searchEvents',
  cost: 'high',
  tag: 'Events',
  summary: 'Events, newest first, optionally by type',
  description: 'Searches derived blocks. A partial name matches up to 50 event types, most frequent first.',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: eventCursor.parameter,
    ...dayFilters,
    type: nameParameter('Full type: `A.<address>.<contract>.<event>`, or `flow.<event>`.'),
    name: nameParameter(
      'Full type, or part of `<contract>.<event>` in any case: `TokensDeposited`, `FlowToken.`, `swap`. ' +
        'Alternative to `type`.',
    ),
  }),
  response: listOf(eventSchema, 'Event'),
  example: {
    data: [exampleEvent],
    has_more: true,
    cursor: `${exampleEvent.block_height}:0:${exampleEvent.event_index}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, type, name, ...days } }, { database }) => {
    const wanted = type ?? name
    const isLimited = wanted === undefined || days.from !== undefined || days.to !== undefined
    const [types, bounds] = await Promise.all([
      wanted === undefined ? undefined : findEventTypes(database, wanted),
      isLimited ? readBoundsOfDays(database, days) : everyHeight,
    ])
    const before = parseEventCursor(cursor)
    const budget = { bytes: maxEventBytes }
    const rows =
      bounds === undefined
        ? []
        : types === undefined
          ? await listEvents(database, before, limit + 1, bounds, budget)
          : await searchEvents(database, types, before, limit + 1, bounds, budget)
    const marks = await readTransactionMarks(database, rows)
    const events = rows.flatMap((row) => {
      const mark = marks.get(markKey(row))
      // The block was rolled back between the two reads.
      if (mark === undefined) return []
      return [{ row, event: presentEvent(row, mark.id, { height: row.block_height, timestamp: mark.timestamp }) }]
    })
    const last = rows.at(-1)
    if (budget.bytes <= 0 && last !== undefined && rows.length <= limit) {
      const data = events.map(({ event }) => event)
      return { body: pageUpTo(data, limit, eventCursor.format(last)) }
    }
    return {
      body: page(
        events,
        limit,
        ({ event }) => event,
        ({ row }) => eventCursor.format(row),
      ),
    }
  },
})

export const eventRoutes = [eventSearch, eventTypeList]

/** Must match the worker of app.event_type_pieces. */
const heightsPerPiece = 100

const piecesAtOnce = 24

const maxTypes = 50

const typeRow = z.object({ type: z.string() })
const pieceRow = z.object({ piece: z.number() })
const heightRow = z.object({ height: z.number() })

/**
 * A full type matches itself. Other names match contract and event name, case-insensitive, most
 * frequent first.
 */
async function findEventTypes(database: DatabasePool, name: string): Promise<readonly string[]> {
  if (/^(A\.[0-9a-f]{16}\.\w+|flow)\.\w+$/.test(name)) return [name]
  const pattern = `%${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const searched = /^A\./i.test(name)
    ? sql.fragment`type`
    : sql.fragment`regexp_replace(type, '^A\.[0-9a-f]{16}\.', '')`
  const rows = await database.any(sql.type(typeRow)`
    select type from app.event_types where ${searched} ilike ${pattern}
    order by event_count desc, type
    limit ${maxTypes}
  `)
  return rows.map(({ type }) => type)
}

/** A row has up to 64 events. */
const chunksAtOnce = 10

/** All types, newest first. */
export async function listEvents(
  database: DatabasePool,
  before: EventKey | undefined,
  count: number,
  bounds: Bounds,
  budget: ByteBudget = { bytes: maxEventBytes },
): Promise<readonly PlacedEventRow[]> {
  const found: PlacedEventRow[] = []
  let place = before
  while (found.length < count && !isSpent(budget, found)) {
    const rows = await readEventPage(bounds, place, chunksAtOnce, (span) => {
      const condition = sql.fragment`
        c.block_height between ${span.low} and ${span.high} and ${isBefore(span.before)}`
      return database.any(sql.type(boundedRow)`
        select ${boundedColumns} from ${boundedChunks(condition, span.count)} order by ${newestFirst}
      `)
    })
    const chunks = wholeChunks(rows, budget)
    const events = (await unpackEvents(database, chunks.toReversed())).map(placedEventRow).toReversed()
    found.push(...events.filter((event) => precedes(event, before)).slice(0, count - found.length))
    place = placeOf(chunks)
    if (place === undefined || rows.length < chunksAtOnce) break
  }
  return found
}

/** Left for the texts of one response. */
export interface ByteBudget {
  bytes: number
}

/** A page has at least one item. */
function isSpent({ bytes }: ByteBudget, found: readonly unknown[]): boolean {
  return bytes <= 0 && found.length > 0
}

type Chunk = z.output<typeof chunkRow>
const boundedRow = chunkRow.extend({ payloads: z.string().nullable() })

function wholeChunks(rows: readonly z.output<typeof boundedRow>[], budget: ByteBudget): readonly Chunk[] {
  const chunks: Chunk[] = []
  for (const { payloads, ...row } of rows) {
    if (payloads === null) break
    budget.bytes -= payloads.length
    chunks.push({ ...row, payloads })
  }
  return chunks
}

function placeOf(chunks: readonly Chunk[]): EventKey | undefined {
  const last = chunks.at(-1)
  return last && { height: last.block_height, txIndex: last.tx_index, eventIndex: last.first_event_index }
}

const everyHeight: Bounds = { min: 0, max: Number.MAX_SAFE_INTEGER }

export async function searchEvents(
  database: DatabasePool,
  types: readonly string[],
  before: EventKey | undefined,
  count: number,
  bounds = everyHeight,
  budget: ByteBudget = { bytes: maxEventBytes },
): Promise<readonly PlacedEventRow[]> {
  const found: PlacedEventRow[] = []
  const wanted = sql.fragment`${sql.array([...types], 'text')}`
  const { min, max } = { min: bounds.min, max: Math.min(bounds.max, before?.height ?? bounds.max) }
  const lowest = Math.floor(min / heightsPerPiece)
  let below = Math.floor(max / heightsPerPiece) + 1
  while (types.length > 0 && found.length < count && !isSpent(budget, found)) {
    const pieces = await readPieces(database, types, lowest, below)
    const last = pieces.at(-1)
    if (last === undefined) break
    const heights = await readHeights(database, wanted, pieces, { min, max })
    found.push(...(await readFoundEvents(database, types, heights, { before, count: count - found.length, budget })))
    below = last
  }
  return found
}

async function readPieces(
  database: DatabasePool,
  types: readonly string[],
  lowest: number,
  below: number,
): Promise<readonly number[]> {
  const rows = await database.any(sql.type(pieceRow)`
    select distinct found.piece
    from unnest(${sql.array([...types], 'text')}) as wanted (type) cross join lateral (
      select p.piece from app.event_type_pieces p
      where p.type = wanted.type and p.piece >= ${lowest} and p.piece < ${below}
      order by p.piece desc limit ${piecesAtOnce}
    ) as found
    order by found.piece desc
    limit ${piecesAtOnce}
  `)
  return rows.map(({ piece }) => piece)
}

async function readHeights(
  database: DatabasePool,
  wanted: FragmentSqlToken,
  pieces: readonly number[],
  { min, max }: Bounds,
): Promise<readonly number[]> {
  const places = pieces.map((piece) => ({ block_height: piece * heightsPerPiece }))
  const rows = await readByPlaces(places, (ofWindow, low, high) =>
    database.any(sql.type(heightRow)`
    select b.block_height as height
    from unnest(${sql.array(
      ofWindow.map((place) => place.block_height),
      'int8',
    )}) as piece (first)
    join app.block_event_types b on b.block_height between piece.first and piece.first + ${heightsPerPiece - 1}
      and b.block_height between ${low} and ${high + heightsPerPiece - 1}
    where b.block_height between ${min} and ${max} and b.types && ${wanted}
  `),
  )
  return rows.map(({ height }) => height).toSorted((a, b) => b - a)
}

/** A block may contain many events of other types, but has at least one match. */
async function readFoundEvents(
  database: DatabasePool,
  types: readonly string[],
  heights: readonly number[],
  { before, count, budget }: { readonly before: EventKey | undefined; readonly count: number; budget: ByteBudget },
): Promise<readonly PlacedEventRow[]> {
  const found: PlacedEventRow[] = []
  let [at, place] = [0, before]
  while (at < heights.length && found.length < count && !isSpent(budget, found)) {
    const some = heights.slice(at, at + count)
    const condition = sql.fragment`
      c.block_height = any (${sql.array(some, 'int8')}) and ${hasTypes(types)} and ${isBefore(place)}`
    // All events of the first row may be outside of the page.
    const rows = await database.any(sql.type(boundedRow)`
      select ${boundedColumns} from ${boundedChunks(condition, count - found.length + 1)} order by ${newestFirst}
    `)
    const chunks = wholeChunks(rows, budget)
    const events = (await unpackEvents(database, chunks.toReversed())).map(placedEventRow).toReversed()
    found.push(
      ...events.filter((event) => types.includes(event.type) && precedes(event, before)).slice(0, count - found.length),
    )
    if (chunks.length < rows.length) place = placeOf(chunks)
    else at += count
  }
  return found
}

function isBefore(before: EventKey | undefined): FragmentSqlToken {
  if (before === undefined) return sql.fragment`true`
  const { height, txIndex, eventIndex } = before
  return sql.fragment`(c.block_height, c.tx_index, c.first_event_index) < (${height}, ${txIndex}, ${eventIndex})`
}

function precedes(event: PlacedEventRow, before: EventKey | undefined): boolean {
  if (before === undefined || event.block_height !== before.height) return true
  return event.tx_index === before.txIndex ? event.event_index < before.eventIndex : event.tx_index < before.txIndex
}
