import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'
import { readEventPage } from '../paging/event-pages.ts'
import { scriptUseRow } from '../presenters/contract-use.ts'
import type { ScriptUseRow } from '../presenters/contract-use.ts'

const placeRow = z.object({ block_height: z.number(), tx_indexes: z.array(z.number()) })

/** A block with transactions whose scripts import a contract. */
export interface UsingBlock {
  readonly height: number
  readonly txIndexes: readonly number[]
}

/** The newest blocks, up to `count`, with a transaction whose script imports a contract; the newest first. */
export async function listUsingBlocks(
  database: DatabasePool,
  bounds: Bounds | undefined,
  contract: string,
  count: number,
): Promise<readonly UsingBlock[]> {
  const rows = await readEventPage(bounds, undefined, count, ({ low, high, count: limit }) =>
    database.any(sql.type(placeRow)`
      select block_height, tx_indexes from app.tx_contracts
      where contract = ${contract} and block_height between ${low} and ${high}
      order by block_height desc limit ${limit}
    `),
  )
  return rows.map(({ block_height: height, tx_indexes: txIndexes }) => ({ height, txIndexes }))
}

/** How many of these transactions have each script: most first. */
export async function countScripts(
  database: DatabasePool,
  blocks: readonly UsingBlock[],
): Promise<readonly ScriptUseRow[]> {
  if (blocks.length === 0) return []
  const places = blocks.flatMap(({ height, txIndexes }) => txIndexes.map((index) => ({ height, index })))
  const heights = blocks.map(({ height }) => height)
  return database.any(sql.type(scriptUseRow)`
    select encode(script_hash, 'hex') as script_hash, count(*) as count, max(block_height) as last_height
    from raw.transactions
    where block_height = any (${sql.array(heights, 'int8')}) and (block_height, tx_index) in (
      select height, index from unnest(
        ${sql.array(
          places.map(({ height }) => height),
          'int8',
        )}, ${sql.array(
          places.map(({ index }) => index),
          'int4',
        )}
      ) as place(height, index)
    )
    group by script_hash
    order by count desc, script_hash
  `)
}
