import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { startReplayNode } from '../../../src/simnode/replay/replay-node.ts'
import { startProgram } from '../farm/start-program.ts'

/** An access node with blocks `from` and up. */
export interface BlockSource {
  readonly endpoint: string
  readonly from: number
}

/** Stores blocks and derives all of them; without a source those of the recorded chain, over and over. */
export async function fillWithBlocks(
  database: { readonly url: string; readonly pool: pg.Pool }, blocks: number, source?: BlockSource,
): Promise<void> {
  const recording = join(import.meta.dirname, '../../../test/recordings/base')
  await using replay = source === undefined ? await startReplayNode({ recording, loop: true, head: blocks - 1 }) : undefined
  const { endpoint, from } = source ?? { endpoint: replay?.endpoint ?? '', from: 0 }
  const program = await startProgram('ingest,farm', 0, {
    DB_URL: database.url, CHAIN_ACCESS_NODE: endpoint, ENABLE_FORWARD_INGESTER: 'false',
    START_BLOCK: String(from + blocks), HISTORY_STOP_HEIGHT: String(from),
  })
  for (;;) {
    const { rows } = await database.pool.query<{ done: string }>(
      `select count(*) as done from app.coverage where service_name not like '%ingester'
         and (select sum(upper(r) - lower(r)) from unnest(covered) as r) >= $1`, [blocks],
    )
    if (Number(rows[0]?.done) >= workers.length) break
    await delay(200)
  }
  await program.end()
  await database.pool.query('vacuum analyze')
}
