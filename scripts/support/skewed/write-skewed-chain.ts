import type { Pool } from 'pg'
import { workers } from '../../../jobs/index.ts'
import { ensurePartitions } from '../../../src/db/partitions.ts'
import { ensureRawPartitions } from '../../../src/ingest/raw-partitions.ts'
import { chainRows, eventShapes } from './chain-rows.ts'
import { contractRows } from './contract-rows.ts'
import { evmCatalogueRows, evmRows } from './evm-rows.ts'
import { nftRows } from './nft-rows.ts'
import { skewedWorld } from './skewed-world.ts'
import type { SkewedSize, SkewedWorld } from './skewed-world.ts'
import { stakeRows, tradeRows } from './stake-and-trade-rows.ts'
import { accountRows, tokenRows } from './token-rows.ts'
import { transferRows } from './transfer-rows.ts'

/** Blocks of one statement, so that none takes longer than a pool may allow. */
const blocksAtOnce = 20_000

/**
 * Writes a long chain straight into the tables: a block with one transaction and five transfers every so many heights, over many
 * partitions, and all that lists of the API read beside them. A few accounts, tokens, contracts and so on are in most of it, most
 * are seldom seen (`skewed` names some of each). Covered by all workers, and analyzed. The same size always gives the same rows, but
 * for the newest prices, which are of now.
 *
 * @param told is given a line about each step
 */
export async function writeSkewedChain(
  pool: Pool,
  size: SkewedSize,
  told: (line: string) => void = () => undefined,
): Promise<SkewedWorld> {
  const world = skewedWorld(size)
  await makePartitions(pool, world)
  told('partitions made')
  await pool.query(`
    insert into raw.scripts (script_hash, script_text) values (sha256('transfer'), 'import "FungibleToken"\n\ntransaction {}\n');
    insert into app.indexing_checkpoints (service_name, covered)
    select name, int8multirange(int8range(0, ${world.highest + 1}))
    from unnest(array['main_ingester', ${workers.map(({ name }) => `'${name}'`).join(', ')}]) as name`)
  await pool.query(eventShapes)
  const parts: string[] = []
  for (let from = 0; from < world.blocks; from += blocksAtOnce) {
    const blocks = `generate_series(${from}::bigint, ${Math.min(world.blocks, from + blocksAtOnce) - 1}::bigint)`
    parts.push(...[chainRows, transferRows, evmRows, tradeRows].map((rows) => rows(blocks, world)))
  }
  await runAll(pool, parts, (done) => told(`${done} of ${parts.length} parts of the chain`))
  await pool.query(
    'insert into app.event_types (type, event_count) select type, sum(block_count) from app.event_type_pieces group by type',
  )
  await pool.query(accountRows(world))
  await pool.query(tokenRows(world))
  await pool.query(nftRows(world))
  await pool.query(contractRows(world))
  await pool.query(evmCatalogueRows(world))
  await pool.query(stakeRows(world))
  told('accounts, tokens, items, contracts, stakes')
  await pool.query('vacuum (analyze)')
  told('vacuumed and analyzed')
  return world
}

async function makePartitions(pool: Pool, { highest }: SkewedWorld): Promise<void> {
  const range = { from: 0, to: highest + 1 }
  await ensureRawPartitions(pool, range)
  for (const { name, partitionHeights } of workers.flatMap(({ tables }) => tables)) {
    if (partitionHeights !== undefined) await ensurePartitions(pool, name, partitionHeights, range)
  }
}

/** Two at a time: while one waits for its commit, the other works. */
async function runAll(pool: Pool, statements: readonly string[], told: (done: number) => void): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < statements.length) {
      const statement = statements[next++] ?? ''
      await pool.query(statement)
      if (next % 40 === 0) told(next)
    }
  }
  await Promise.all([run(), run()])
}
