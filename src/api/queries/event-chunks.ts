import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { DecodedEvent } from '../../chain/decoded-block.ts'
import { eventsOfChunk, eventsPerChunk } from '../../chain/event-chunk.ts'
import { fieldsOf } from '../../chain/event-shape.ts'
import type { EventShape } from '../../chain/event-shape.ts'
import { EventShapes } from '../../chain/event-shapes.ts'
import { databaseIdentity } from '../../db/database-identity.ts'
import type { PayloadFields, PayloadValue } from '../../chain/payload-value.ts'

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
export interface PlacedEvent {
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
