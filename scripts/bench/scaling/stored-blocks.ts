import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { BlockSource } from '../simulated-node.ts'

/** Has the ingester store the raw rows of so many blocks, and nothing derived. @returns how many events they have */
export async function storeBlocks(
  url: string,
  pool: pg.Pool,
  { endpoint, from }: BlockSource,
  blocks: number,
): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'ingest'], {
    env: {
      DB_URL: url,
      CHAIN_ACCESS_NODE: endpoint,
      RAW_ONLY: 'true',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'warn',
      ENABLE_FORWARD_INGESTER: 'false',
      START_BLOCK: String(from + blocks),
      HISTORY_STOP_HEIGHT: String(from),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit')
  for (;;) {
    const { rows } = await pool.query<{ blocks: string | null; events: string | null }>(
      'select sum(block_count) as blocks, sum(event_count) as events from app.indexing_checkpoints',
    )
    if (Number(rows[0]?.blocks) >= blocks) {
      child.kill('SIGTERM')
      await exited
      return Number(rows[0]?.events)
    }
    if (child.exitCode !== null) throw new Error(`the ingester ended with ${child.exitCode}`)
    await delay(50)
  }
}
