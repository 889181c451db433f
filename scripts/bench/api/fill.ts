import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { startProgram } from '../farm/start-program.ts'
import { openSource } from '../simulated-node.ts'
import type { BlockSource } from '../simulated-node.ts'

/** Stores blocks and derives all of them; without a node those of the simulated chain. */
export async function fillWithBlocks(
  database: { readonly url: string; readonly pool: pg.Pool },
  blocks: number,
  node?: BlockSource,
): Promise<void> {
  await using source = await openSource(node, blocks)
  const { endpoint, from } = source
  const program = await startProgram('ingest,farm', 0, {
    DB_URL: database.url,
    CHAIN_ACCESS_NODE: endpoint,
    ENABLE_FORWARD_INGESTER: 'false',
    START_BLOCK: String(from + blocks),
    HISTORY_STOP_HEIGHT: String(from),
  })
  for (;;) {
    const { rows } = await database.pool.query<{ done: string }>(
      `select count(*) as done from app.coverage where service_name not like '%ingester'
         and (select sum(upper(r) - lower(r)) from unnest(covered) as r) >= $1`,
      [blocks],
    )
    if (Number(rows[0]?.done) >= workers.length) break
    await delay(200)
  }
  await program.end()
  await database.pool.query('vacuum analyze')
}
