import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { startReplayNode } from '../../../src/simnode/replay/replay-node.ts'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { metricSum, startProgram } from '../farm/start-program.ts'
import { treeCpuSeconds } from '../process-usage.ts'

export interface WholeProgram {
  readonly blocks: number
  readonly events: number
  readonly blocksPerSecond: number
  /** Processor time of the program and of PostgreSQL, ms a block. */
  readonly nodeMs: number
  readonly postgresMs: number
  /** MiB for 1,000 blocks, all indexes included. */
  readonly databaseMiB: number
  readonly walMiB: number
  readonly peakMiB: number
  readonly perWorker: readonly { readonly name: string; readonly deriveMs: number; readonly commitMs: number; readonly rows: number }[]
  /** The largest tables first, with their indexes, bytes a block. */
  readonly tables: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[]
}

/**
 * Ingest and all workers in one process with default settings, backwards, from an empty database until everything is
 * covered by all workers.
 * @param node an access node with blocks `from` and up; default: the recorded chain, which repeats itself
 */
export async function measureWholeProgram(blocks: number, node?: { readonly endpoint: string; readonly from: number }): Promise<WholeProgram> {
  const recording = join(import.meta.dirname, '../../../test/recordings/base')
  await using replay = node === undefined ? await startReplayNode({ recording, loop: true, head: blocks - 1 }) : undefined
  const from = node?.from ?? 0
  const database = await openBenchDatabase()
  try {
    await database.pool.query('checkpoint')
    const [sizeBefore, walBefore] = [await databaseBytes(database.pool), await walBytes(database.pool)]
    const cpuBefore = treeCpuSeconds(database.postmaster)
    const startedAt = performance.now()
    const program = await startProgram('ingest,farm', 0, {
      DB_URL: database.url, CHAIN_ACCESS_NODE: node?.endpoint ?? replay?.endpoint ?? '', ENABLE_FORWARD_INGESTER: 'false',
      START_BLOCK: String(from + blocks), HISTORY_STOP_HEIGHT: String(from),
    })
    await untilCovered(database.pool, blocks)
    const seconds = (performance.now() - startedAt) / 1000
    const postgres = treeCpuSeconds(database.postmaster) - cpuBefore
    const wal = (await walBytes(database.pool)) - walBefore
    const usage = await program.end()
    const size = (await databaseBytes(database.pool)) - sizeBefore
    const ms = (metric: string, worker: string): number => (metricSum(usage, metric, worker) * 1000) / blocks
    const { rows } = await database.pool.query<{ events: string }>('select sum(event_count) as events from app.indexing_checkpoints')
    const mib = (bytes: number): number => bytes / blocks * 1000 / 2 ** 20
    return {
      blocks, events: Number(rows[0]?.events), blocksPerSecond: blocks / seconds,
      nodeMs: (usage.cpuSeconds * 1000) / blocks, postgresMs: (postgres * 1000) / blocks,
      databaseMiB: mib(size), walMiB: mib(wal), peakMiB: usage.peakMiB,
      perWorker: workers.map(({ name }) => ({
        name, deriveMs: ms('flowfarm_farm_derive_seconds_sum', name), commitMs: ms('flowfarm_farm_commit_seconds_sum', name),
        rows: metricSum(usage, 'flowfarm_farm_rows_total', name) / blocks,
      })),
      tables: await tableSizes(database.pool, blocks),
    }
  } finally {
    await database.close()
  }
}

async function untilCovered(pool: pg.Pool, blocks: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ done: string }>(
      `select count(*) as done from app.coverage where service_name not like '%ingester'
         and (select sum(upper(r) - lower(r)) from unnest(covered) as r) >= $1`, [blocks],
    )
    if (Number(rows[0]?.done) >= workers.length) return
    await delay(100)
  }
}

async function databaseBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('raw', 'app', 'analytics') and c.relkind = 'r'`,
  )
  return Number(rows[0]?.bytes)
}

async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
}

async function tableSizes(pool: pg.Pool, blocks: number): Promise<WholeProgram['tables']> {
  await pool.query('analyze')
  const { rows } = await pool.query<{ name: string; bytes: string; rows: string }>(
    `select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes, sum(greatest(c.reltuples, 0)) as rows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_inherits i on i.inhrelid = c.oid
     where n.nspname in ('raw', 'app', 'analytics') and c.relkind = 'r'
     group by 1 order by 2 desc limit 40`,
  )
  return rows.map(({ name, bytes, rows: count }) => ({ name, bytes: Number(bytes) / blocks, rows: Number(count) / blocks }))
}
