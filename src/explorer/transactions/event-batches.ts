import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { DecodedEvent } from '../../flow/decoded-block.ts'
import { chunkColumns, chunkRow, markKey, maxEventBytes, maxStoredBytes, readByPlaces, unpackEvents } from './events.ts'
import type { MarkedPlace } from './events.ts'

export interface EventsOfPlaces {
  /** By `markKey`. */
  readonly events: ReadonlyMap<string, readonly DecodedEvent[]>
  /** Leading places whose events were read. */
  readonly places: number
}

const sizeRow = z.object({ block_height: z.number(), tx_index: z.number(), bytes: z.number() })

/** Ends after `maxEventBytes`, but reads at least one place. */
export async function readEventsWithin(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<EventsOfPlaces> {
  const sizes = await readStoredSizes(database, places)
  const sizeOf = (at: number): number => sizes.get(markKey(places[at] as MarkedPlace)) ?? 0
  const events = new Map<string, DecodedEvent[]>()
  let [at, text] = [0, 0]
  while (at < places.length && text < maxEventBytes) {
    const start = at
    for (let stored = 0; at === start || (at < places.length && stored + sizeOf(at) <= maxStoredBytes); at++)
      stored += sizeOf(at)
    const chunks = await readChunks(database, places.slice(start, at))
    for (const { payloads } of chunks) text += payloads.length
    for (const { height, txIndex, event } of await unpackEvents(database, chunks)) {
      const key = markKey({ block_height: height, tx_index: txIndex })
      const known = events.get(key)
      if (known === undefined) events.set(key, [event])
      else known.push(event)
    }
  }
  return { events, places: at }
}

/** Named `c`. Heights passed as values prune partitions. */
function chunksOf(places: readonly MarkedPlace[], low: number, high: number): FragmentSqlToken {
  const heights = places.map((place) => place.block_height)
  const indexes = places.map((place) => place.tx_index)
  return sql.fragment`
    unnest(${sql.array(heights, 'int8')}, ${sql.array(indexes, 'int4')}) as place (height, index)
    join raw.event_chunks c on c.block_height = place.height and c.tx_index = place.index
      and c.block_height between ${low} and ${high}
  `
}

async function readChunks(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<readonly z.output<typeof chunkRow>[]> {
  return readByPlaces(places, (ofWindow, low, high) =>
    database.any(sql.type(chunkRow)`
    select ${chunkColumns}
    from ${chunksOf(ofWindow, low, high)}
    order by c.block_height, c.tx_index, c.first_event_index
  `),
  )
}

async function readStoredSizes(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await readByPlaces(places, (ofWindow, low, high) =>
    database.any(sql.type(sizeRow)`
    select c.block_height, c.tx_index, sum(pg_column_size(c.payloads)) as bytes
    from ${chunksOf(ofWindow, low, high)}
    group by c.block_height, c.tx_index
  `),
  )
  return new Map(rows.map((row) => [markKey(row), row.bytes]))
}
