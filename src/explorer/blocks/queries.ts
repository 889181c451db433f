import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { hashBytes } from '../formats.ts'
import { readDescending } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { summariesBetween } from '../transactions/queries.ts'
import { summaryRow } from '../transactions/schema.ts'
import { blockRow } from './schema.ts'
import type { BlockRow } from './schema.ts'

const blockColumns = sql.fragment`
  b.height, encode(b.id, 'hex') as id, encode(b.parent_id, 'hex') as parent_id, b.timestamp, b.tx_count, b.event_count,
  s.gas_used, s.evm_tx_count, s.fees::text as fees
`

/** Parameters: lowest and highest height. */
const blocksBetween = sql.fragment`
  from raw.blocks b
  left join app.block_stats s on s.block_height = b.height and s.block_height between $1::int8 and $2::int8
  where b.height between $1::int8 and $2::int8
`

const blockList = fixedStatement(sql.prepared('block list', blockRow)`
  select ${blockColumns} ${blocksBetween} order by b.height desc limit $3::int8
`)
const blocksOfHeights = fixedStatement(sql.prepared('blocks of heights', blockRow)`
  select ${blockColumns} ${blocksBetween} order by b.height
`)

export async function listBlocks(
  database: DatabasePool,
  bounds: Bounds | undefined,
  top: number,
  count: number,
): Promise<readonly BlockRow[]> {
  return readDescending(bounds, top, count, (low, high, limit) => database.any(blockList(low, high, limit)))
}

/** Inclusive, lowest first. */
export async function readBlocks(database: DatabasePool, from: number, to: number): Promise<readonly BlockRow[]> {
  return database.any(blocksOfHeights(from, to))
}

const wholeBlockRow = blockRow.extend({ collection_ids: z.array(z.string()) })
export type WholeBlockRow = z.output<typeof wholeBlockRow>

const collectionIds = sql.fragment`array(
  select encode(c.id, 'hex') from unnest(b.collection_ids) with ordinality as c(id, place) order by place
) as collection_ids`

const wholeBlock = fixedStatement(
  sql.prepared('block', wholeBlockRow)`select ${blockColumns}, ${collectionIds} ${blocksBetween}`,
)

const describedBlockRow = wholeBlockRow.extend({ transactions: z.array(summaryRow).nullable() })
export type DescribedBlockRow = z.output<typeof describedBlockRow>

const describedBlock = fixedStatement(sql.prepared('block with transactions', describedBlockRow)`
  select ${blockColumns}, ${collectionIds}, (${summariesBetween}) as transactions ${blocksBetween}
`)

export async function readDescribedBlock(
  database: DatabasePool,
  height: number,
): Promise<DescribedBlockRow | undefined> {
  const row = await database.maybeOne(describedBlock(height, height))
  return row ?? undefined
}

export async function readBlock(database: DatabasePool, height: number): Promise<WholeBlockRow | undefined> {
  const row = await database.maybeOne(wholeBlock(height, height))
  return row ?? undefined
}

const heightOfBlock = fixedStatement(sql.prepared('block by id', z.object({ height: z.number() }))`
  select height from raw.block_lookup where id = $1
`)

export async function findBlockHeight(database: DatabasePool, id: string): Promise<number | undefined> {
  const row = await database.maybeOne(heightOfBlock(hashBytes(id)))
  return row?.height
}

const timeRow = z.object({ height: z.number(), timestamp: z.string() })

/** Omits blocks that are not stored. Heights passed as values prune partitions. */
export async function readBlockTimes(
  database: DatabasePool,
  heights: readonly (number | null)[],
): Promise<ReadonlyMap<number, string>> {
  const known = [...new Set(heights)].filter((height) => height !== null)
  if (known.length === 0) return new Map()
  const rows = await database.any(sql.type(timeRow)`
    select height, timestamp from raw.blocks where height = any (${sql.array(known, 'int8')})
  `)
  return new Map(rows.map(({ height, timestamp }) => [height, timestamp]))
}
