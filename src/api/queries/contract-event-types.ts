import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { EventTypeRow } from '../presenters/contract-use.ts'
import { readByPlaces } from './transaction-marks.ts'

/** As the worker has it that writes app.event_type_pieces. */
const heightsPerPiece = 100

const typeRow = z.object({ type: z.string(), count: z.number(), piece: z.number() })
const lastRow = z.object({ type: z.string(), height: z.number() })

/**
 * The types of the events of a contract, up to `count`, most events first, each with the block of its last one. The
 * counts are kept, and of each type one piece of the chain is looked at: it costs the same however many events there are.
 */
export async function listContractEventTypes(
  database: DatabasePool,
  contract: string,
  count: number,
): Promise<readonly EventTypeRow[]> {
  // Both ends as the index has them, by bytes: a slash comes right after a dot.
  const rows = await database.any(sql.type(typeRow)`
    select t.type, t.event_count as count, last.piece
    from (
      select type, event_count from app.event_types
      where type > ${`${contract}.`} and type < ${`${contract}/`}
      order by event_count desc, type
      limit ${count}
    ) as t cross join lateral (
      select p.piece from app.event_type_pieces p where p.type = t.type order by p.piece desc limit 1
    ) as last
    order by t.event_count desc, t.type
  `)
  const heights = await readLastHeights(database, rows)
  return rows.flatMap(({ type, count: events }) => {
    const height = heights.get(type)
    return height === undefined ? [] : [{ type, count: events, last_height: height }]
  })
}

/** A piece without a block of the type is being rolled back. */
async function readLastHeights(
  database: DatabasePool,
  types: readonly z.output<typeof typeRow>[],
): Promise<ReadonlyMap<string, number>> {
  const places = types.map(({ type, piece }) => ({ type, block_height: piece * heightsPerPiece }))
  const rows = await readByPlaces(places, (ofWindow, low, high) =>
    database.any(sql.type(lastRow)`
    select wanted.type, max(b.block_height) as height
    from unnest(
      ${sql.array(
        ofWindow.map(({ type }) => type),
        'text',
      )}, ${sql.array(
        ofWindow.map((place) => place.block_height),
        'int8',
      )}
    ) as wanted (type, first)
    join app.block_event_types b on b.block_height between wanted.first and wanted.first + ${heightsPerPiece - 1}
      and b.block_height between ${low} and ${high + heightsPerPiece - 1}
    where wanted.type = any (b.types)
    group by wanted.type
  `),
  )
  return new Map(rows.map(({ type, height }) => [type, height]))
}
