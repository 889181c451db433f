import type pg from 'pg'
import type { ChainSource } from '../access/chain-source.ts'
import { NotYetError } from '../access/chain-source.ts'
import { withTransaction } from '../platform/db/pool.ts'
import { FatalError } from '../platform/errors.ts'
import type { HeightRange } from '../platform/ranges.ts'
import { storedBlockUpTo } from './checkpoints.ts'

interface ReorgOptions {
  readonly pool: pg.Pool
  readonly source: Pick<ChainSource, 'blockIdAt'>
  readonly height: number
  /** The affected heights: each is stored or unavailable. */
  readonly stored: HeightRange
  readonly maxDepth: number
  /**
   * Deletes derived data of the blocks above `ancestor`; runs first in the rollback transaction.
   */
  readonly beforeRollBack?: ((client: pg.ClientBase, ancestor: number) => Promise<void>) | undefined
  readonly signal: AbortSignal
}

export interface Reorg {
  /** Last common height; one below the lowest stored height if none is common. */
  readonly ancestor: number
  /** Number of deleted blocks; 0 if the node's chain differs at no stored height. */
  readonly depth: number
}

/** Absent: the node's chain is shorter. */
type Relation = 'same' | 'other' | 'absent'

/**
 * Deletes everything above the last common block.
 * @throws FatalError `reorg-too-deep`, without deleting, if it is more than `maxDepth` below the
 *   stored head
 */
export async function resolveFork(options: ReorgOptions): Promise<Reorg> {
  const ancestor = await lastCommonHeight(options)
  const depth = options.stored.to - 1 - ancestor
  if (depth > 0) {
    await withTransaction(options.pool, async (client) => {
      await options.beforeRollBack?.(client, ancestor)
      await rollBackRaw(client, ancestor)
    })
  }
  return { ancestor, depth }
}

/**
 * Doubles its steps down and then bisects: 20 requests for a fork of 1,000 blocks. Without a
 * differing block the node is only behind.
 */
async function lastCommonHeight(options: ReorgOptions): Promise<number> {
  const { stored, maxDepth } = options
  const highest = stored.to - 1
  const floor = Math.max(stored.from - 1, highest - maxDepth)
  let parted = highest
  let relation = await compare(options, parted)
  let shared = relation === 'same' ? highest : undefined
  for (let step = 1; shared === undefined; step *= 2) {
    if (parted === floor) {
      if (relation === 'absent' && (await compare(options, options.height)) !== 'other') return highest
      throw tooDeep(options, floor)
    }
    const height = Math.max(floor, parted - step)
    const found = await compare(options, height)
    if (found === 'same') shared = height
    else [parted, relation] = [height, found]
  }
  while (parted - shared > 1) {
    const middle = Math.floor((shared + parted) / 2)
    const found = await compare(options, middle)
    if (found === 'same') shared = middle
    else [parted, relation] = [middle, found]
  }
  return relation === 'other' ? shared : highest
}

/** Unavailable heights count as the stored one below. */
async function compare({ pool, source, stored, signal }: ReorgOptions, height: number): Promise<Relation> {
  const ours = await storedBlockUpTo(pool, height)
  if (ours === undefined || ours.height < stored.from) return 'same'
  try {
    const theirs = await source.blockIdAt(ours.height, signal)
    return ours.id.equals(theirs) ? 'same' : 'other'
  } catch (error) {
    if (error instanceof NotYetError) return 'absent'
    throw error
  }
}

function tooDeep({ stored, maxDepth }: ReorgOptions, floor: number): FatalError {
  const highest = stored.to - 1
  return new FatalError(
    'reorg-too-deep',
    `The node's chain and the stored one already differ at height ${floor}, ${highest - floor} blocks below the ` +
      `stored head ${highest}. MAX_REORG_DEPTH is ${maxDepth}. No data was deleted. Check that CHAIN_ACCESS_NODE ` +
      'serves the right chain; if it does, raise MAX_REORG_DEPTH or start with an empty database.',
  )
}

/**
 * Truncates the coverage of both ingesters too. Locks the checkpoints first: a running commit
 * finishes before, or is refused afterwards by its generation.
 */
export async function rollBackRaw(client: pg.ClientBase, ancestor: number): Promise<void> {
  await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
  await client.query(
    `with removed as (
       select height, tx_count, event_count from raw.blocks where height > $1
     ), counted as (
       select c.service_name, count(*) as blocks, sum(r.tx_count) as txs, sum(r.event_count) as events
       from removed r join app.indexing_checkpoints c
         on c.service_name in ('main_ingester', 'history_ingester') and c.covered @> r.height
       group by c.service_name
     )
     update app.indexing_checkpoints c
     set block_count = block_count - k.blocks, tx_count = tx_count - k.txs, event_count = event_count - k.events
     from counted k where k.service_name = c.service_name`,
    [ancestor],
  )
  await client.query(
    `delete from raw.tx_lookup l using raw.transactions t
     where t.block_height > $1 and l.id = t.id and l.block_height = t.block_height`,
    [ancestor],
  )
  await client.query('delete from raw.block_lookup l using raw.blocks b where b.height > $1 and l.id = b.id', [
    ancestor,
  ])
  for (const table of ['event_chunks', 'transactions', 'unavailable', 'indexing_errors']) {
    await client.query(`delete from raw.${table} where block_height > $1`, [ancestor])
  }
  for (const table of ['blocks', 'failing_heights'])
    await client.query(`delete from raw.${table} where height > $1`, [ancestor])
  await client.query(
    `update app.indexing_checkpoints
     set covered = covered - int8multirange(int8range($1 + 1, null)), generation = generation + 1, updated_at = now(),
         last_height = case when covered && int8multirange(int8range(null, $1 + 1)) then least(last_height, $1) end`,
    [ancestor],
  )
  await client.query(`select pg_notify('flowfarm_rollback', ($1::bigint + 1)::text)`, [ancestor])
}
