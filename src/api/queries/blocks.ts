import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { readDownwards } from '../bounds.ts'
import type { Bounds } from '../bounds.ts'
import { hashBytes } from '../formats.ts'
import { blockRow } from '../presenters/block.ts'
import type { BlockRow } from '../presenters/block.ts'

const blockColumns = sql.fragment`
  height, encode(id, 'hex') as id, encode(parent_id, 'hex') as parent_id, timestamp, tx_count, event_count
`

/** Up to `count` blocks, the highest first, from height `top` down. */
export async function listBlocks(
  database: DatabasePool, bounds: Bounds | undefined, top: number, count: number,
): Promise<readonly BlockRow[]> {
  return readDownwards(bounds, top, count, (low, high, limit) => database.any(sql.type(blockRow)`
    select ${blockColumns} from raw.blocks
    where height between ${low} and ${high}
    order by height desc
    limit ${limit}
  `))
}

/** The blocks of a range of heights, both ends inclusive, the lowest first. */
export async function readBlocks(database: DatabasePool, from: number, to: number): Promise<readonly BlockRow[]> {
  return database.any(sql.type(blockRow)`
    select ${blockColumns} from raw.blocks where height between ${from} and ${to} order by height
  `)
}

const wholeBlockRow = blockRow.extend({ collection_ids: z.array(z.string()) })
export type WholeBlockRow = z.output<typeof wholeBlockRow>

/** One block with the ids of its collections; undefined where it is not stored. */
export async function readBlock(database: DatabasePool, height: number): Promise<WholeBlockRow | undefined> {
  const row = await database.maybeOne(sql.type(wholeBlockRow)`
    select ${blockColumns}, array(
        select encode(c.id, 'hex') from unnest(collection_ids) with ordinality as c(id, place) order by place
      ) as collection_ids
    from raw.blocks where height = ${height}
  `)
  return row ?? undefined
}

/** Height of the block with this id. */
export async function findBlockHeight(database: DatabasePool, id: string): Promise<number | undefined> {
  const row = await database.maybeOne(sql.type(z.object({ height: z.number() }))`
    select height from raw.block_lookup where id = ${sql.binary(hashBytes(id))}
  `)
  return row?.height
}
