import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { listOf, page } from '../paging/pages.ts'
import { limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import {
  markKey,
  readTransactionMarks,
  chunkColumns,
  chunkRow,
  unpackEvents,
  hasTypes,
  placedEventRow,
  readByPlaces,
} from './event-queries.ts'
import type { PlacedEventRow } from './event-queries.ts'
import { exampleEvent } from './examples.ts'
import { eventSchema, presentEvent } from './schema.ts'

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
  summary: 'Events of a type, the newest first',
  description:
    'Of the blocks that are derived. A part of a name stands for the 50 most frequent types in which it occurs.',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: eventCursor.parameter,
    type: nameParameter('Full type: `A.<address>.<contract>.<event>`, or `flow.<event>`.'),
    name: nameParameter(
      'Full type, or a part of `<contract>.<event>` in any case: `TokensDeposited`, `FlowToken.`, `swap`. Either this or `type`.',
    ),
  }),
  response: listOf(eventSchema, 'Event'),
  problems: { 400: 'Neither `type` nor `name` is given, or one is not valid.' },
  example: {
    data: [exampleEvent],
    has_more: true,
    cursor: `${exampleEvent.block_height}:0:${exampleEvent.event_index}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, type, name } }, { database }) => {
    const wanted = type ?? name
    if (wanted === undefined) {
      throw new ApiError(
        400,
        'invalid-parameter',
        'Parameter "type" is missing: a full event type, or a part of one as "name".',
        { field: 'type' },
      )
    }
    const rows = await searchEvents(
      database,
      await findEventTypes(database, wanted),
      parseEventCursor(cursor),
      limit + 1,
    )
    const marks = await readTransactionMarks(database, rows)
    const events = rows.flatMap((row) => {
      const mark = marks.get(markKey(row))
      // A block that was rolled back between the two readings.
      if (mark === undefined) return []
      return [{ row, event: presentEvent(row, mark.id, { height: row.block_height, timestamp: mark.timestamp }) }]
    })
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

/** Events of all blocks. */
export const eventRoutes = [eventSearch]

/** As the worker has it that writes app.event_type_pieces. */
const heightsPerPiece = 100

/** Pieces that are looked at first: one with an event in each gives a page. */
const piecesAtOnce = 24

/** Types that a part of a name stands for at most, those with the most events. */
const mostTypes = 50

const typeRow = z.object({ type: z.string() })
const pieceRow = z.object({ piece: z.number() })
const heightRow = z.object({ height: z.number() })

/**
 * The types that a name means: the full type itself, whether it is indexed or not; else those in whose contract and event name it
 * occurs, whatever the case, most frequent first.
 */
async function findEventTypes(database: DatabasePool, name: string): Promise<readonly string[]> {
  if (/^(A\.[0-9a-f]{16}\.\w+|flow)\.\w+$/.test(name)) return [name]
  const pattern = `%${name.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  // Of the address nobody means a part by accident: it is cut off unless the name begins with it.
  const told = /^A\./i.test(name) ? sql.fragment`type` : sql.fragment`regexp_replace(type, '^A\.[0-9a-f]{16}\.', '')`
  const rows = await database.any(sql.type(typeRow)`
    select type from app.event_types where ${told} ilike ${pattern}
    order by event_count desc, type
    limit ${mostTypes}
  `)
  return rows.map(({ type }) => type)
}

/** Up to `count` events of these types before a place, the newest first, from the blocks of which the types are derived. */
export async function searchEvents(
  database: DatabasePool,
  types: readonly string[],
  before: EventKey | undefined,
  count: number,
): Promise<readonly PlacedEventRow[]> {
  const found: PlacedEventRow[] = []
  const wanted = sql.fragment`${sql.array([...types], 'text')}`
  let below = before === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(before.height / heightsPerPiece) + 1
  while (types.length > 0 && found.length < count) {
    const pieces = await readPieces(database, types, below)
    const last = pieces.at(-1)
    if (last === undefined) break
    const heights = await readHeights(database, wanted, pieces, before)
    found.push(...(await readEvents(database, types, heights, before, count - found.length)))
    below = last
  }
  return found
}

/** Each type by itself, in the order of the index. */
async function readPieces(database: DatabasePool, types: readonly string[], below: number): Promise<readonly number[]> {
  const rows = await database.any(sql.type(pieceRow)`
    select distinct found.piece
    from unnest(${sql.array([...types], 'text')}) as wanted (type) cross join lateral (
      select p.piece from app.event_type_pieces p
      where p.type = wanted.type and p.piece < ${below} order by p.piece desc limit ${piecesAtOnce}
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
  before: EventKey | undefined,
): Promise<readonly number[]> {
  const highest = before?.height ?? Number.MAX_SAFE_INTEGER
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
    where b.block_height <= ${highest} and b.types && ${wanted}
  `),
  )
  return rows.map(({ height }) => height).toSorted((a, b) => b - a)
}

/** A block may have very many events of other types: as few blocks are read as give enough, each of which has one at least. */
async function readEvents(
  database: DatabasePool,
  types: readonly string[],
  heights: readonly number[],
  before: EventKey | undefined,
  count: number,
): Promise<readonly PlacedEventRow[]> {
  const found: PlacedEventRow[] = []
  for (let at = 0; at < heights.length && found.length < count; at += count) {
    const some = heights.slice(at, at + count)
    // Of the first row all events may be after the place; each other one has an event that is wanted at least.
    const chunks = await database.any(sql.type(chunkRow)`
      select ${chunkColumns} from raw.event_chunks c
      where c.block_height = any (${sql.array(some, 'int8')}) and ${hasTypes(types)} and ${isBefore(before)}
      order by c.block_height desc, c.tx_index desc, c.first_event_index desc
      limit ${count - found.length + 1}
    `)
    const events = (await unpackEvents(database, chunks.toReversed())).map(placedEventRow).toReversed()
    found.push(
      ...events.filter((event) => types.includes(event.type) && precedes(event, before)).slice(0, count - found.length),
    )
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
