import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type pg from 'pg'
import { bareCopy, rawTables } from '../bare-copy.ts'
import { tableBytes, walBytes } from '../database-size.ts'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { cpuSeconds, peakMemoryMiB, treeCpuSeconds } from '../process-usage.ts'

export interface IngestRun {
  readonly blocksPerSecond: number
  readonly txsPerSecond: number
  readonly eventsPerSecond: number
  /** Processor time of the ingester for a block. */
  readonly ownMs: number
  /** Processor time of PostgreSQL for a block. */
  readonly postgresMs: number
  readonly peakMiB: number
  /** Of the raw tables, with their indexes. */
  readonly mibPer1000: number
  readonly walPer1000: number
  readonly bareCopyBlocksPerSecond: number
  readonly bareCopyPostgresMs: number
}

export interface IngestOptions {
  readonly endpoint: string
  readonly from: number
  /** The last height. */
  readonly to: number
  /** Whether the forward ingester is measured, and not the backward one. */
  readonly isForward: boolean
}

/** Blocks a transaction of the bare COPY: about what the ingester gathers. */
const batchBlocks = 100

/** Raw ingest into an empty database, and then a bare COPY of the rows that came of it. */
export async function measureIngest({ endpoint, from, to, isForward }: IngestOptions): Promise<IngestRun> {
  const database = await openBenchDatabase()
  const { pool, postmaster } = database
  try {
    const blocks = to - from + 1
    const walBefore = await walBytes(pool)
    const bytesBefore = await tableBytes(pool, ['raw'])
    const postgresBefore = treeCpuSeconds(postmaster)
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'ingest'], {
      env: {
        DB_URL: database.url,
        CHAIN_ACCESS_NODE: endpoint,
        RAW_ONLY: 'true',
        LOG_FORMAT: 'json',
        LOG_LEVEL: 'warn',
        ...(isForward
          ? { ENABLE_HISTORY_INGESTER: 'false', START_BLOCK: String(from) }
          : { ENABLE_FORWARD_INGESTER: 'false', START_BLOCK: String(to + 1), HISTORY_STOP_HEIGHT: String(from) }),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const pid = child.pid as number
    // The clock runs from the first commit's start, as near as polling can tell, to the commit of the last block.
    let started = 0
    let ownBefore = 0
    for (;;) {
      const { rows } = await pool.query<{ blocks: string }>(
        'select coalesce(sum(block_count), 0) as blocks from app.indexing_checkpoints',
      )
      const stored = Number(rows[0]?.blocks)
      if (started === 0 && (await isConnected(pool))) {
        started = performance.now()
        ownBefore = cpuSeconds(pid)
      }
      if (stored >= blocks) break
      if (child.exitCode !== null) throw new Error(`the ingester ended with ${child.exitCode}`)
      await pool.query('select pg_sleep(0.02)')
    }
    const seconds = (performance.now() - started) / 1000
    const own = cpuSeconds(pid) - ownBefore
    const postgres = treeCpuSeconds(postmaster) - postgresBefore
    const peakMiB = peakMemoryMiB(pid)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    const wal = (await walBytes(pool)) - walBefore
    const bytes = (await tableBytes(pool, ['raw'])) - bytesBefore
    const { rows } = await pool.query<{ txs: string; events: string }>(
      'select sum(tx_count) as txs, sum(event_count) as events from app.indexing_checkpoints',
    )
    const bare = await bareCopy(pool, rawTables, { from, to: to + 1, batchBlocks }, () => treeCpuSeconds(postmaster))
    const mibPer1000 = (amount: number): number => (amount / 2 ** 20 / blocks) * 1000
    return {
      blocksPerSecond: blocks / seconds,
      txsPerSecond: Number(rows[0]?.txs) / seconds,
      eventsPerSecond: Number(rows[0]?.events) / seconds,
      ownMs: (own * 1000) / blocks,
      postgresMs: (postgres * 1000) / blocks,
      peakMiB,
      mibPer1000: mibPer1000(bytes),
      walPer1000: mibPer1000(wal),
      bareCopyBlocksPerSecond: blocks / bare.seconds,
      bareCopyPostgresMs: (bare.cpuSeconds * 1000) / blocks,
    }
  } finally {
    await database.close()
  }
}

/** Whether the ingester has opened its connections: from then on it works. */
async function isConnected(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity where application_name = 'flowfarm ingest' limit 1`,
  )
  return (rowCount ?? 0) > 0
}
