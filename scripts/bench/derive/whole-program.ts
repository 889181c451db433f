import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { tableBytes, walBytes } from '../database-size.ts'
import { openBenchDatabase } from '../farm/bench-database.ts'
import type { BenchDatabase } from '../farm/bench-database.ts'
import { metricSum, startProgram } from '../farm/start-program.ts'
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts'
import type { BlockSource } from '../simulated-node.ts'

export interface WholeProgram {
  readonly blocks: number
  readonly events: number
  readonly blocksPerSecond: number
  /** Processor time of the program and of PostgreSQL, ms a block. */
  readonly nodeMs: number
  readonly postgresMs: number
  /** MiB for 1,000 blocks, all indexes included. */
  readonly databaseMiB: number
  /** The part of it that is the raw tables. */
  readonly rawMiB: number
  readonly walMiB: number
  readonly peakMiB: number
  readonly perWorker: readonly {
    readonly name: string
    readonly deriveMs: number
    readonly commitMs: number
    readonly rows: number
  }[]
  /** The largest tables first, with their indexes, bytes a block. */
  readonly tables: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[]
  readonly stretches: readonly Stretch[]
}

/** What blocks cost while the database grew from the size before to this one. */
export interface Stretch {
  /** Blocks that all workers had covered at its end. */
  readonly upTo: number
  /** Processor time of the program and of PostgreSQL, ms a block of the stretch. */
  readonly nodeMs: number
  readonly postgresMs: number
}

export interface WholeProgramOptions {
  /** Blocks of a stretch, at least. Default: all, which gives none. */
  readonly stretchBlocks?: number
  /** Does something with the filled database, which goes away afterwards. */
  readonly afterwards?: (database: BenchDatabase) => Promise<void>
}

const schemas = ['raw', 'app', 'analytics'] as const

/**
 * Ingest and all workers in one process with default settings, backwards, from an empty database until everything is
 * covered by all workers.
 */
export async function measureWholeProgram(
  blocks: number,
  { endpoint, from }: BlockSource,
  { stretchBlocks = blocks, afterwards }: WholeProgramOptions = {},
): Promise<WholeProgram> {
  const database = await openBenchDatabase()
  const { pool, postmaster } = database
  try {
    await pool.query('checkpoint')
    const [sizeBefore, rawBefore, walBefore] = [
      await tableBytes(pool, schemas),
      await tableBytes(pool, ['raw']),
      await walBytes(pool),
    ]
    const cpuBefore = treeCpuSeconds(postmaster)
    const startedAt = performance.now()
    const program = await startProgram('ingest,farm', 0, {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: endpoint,
      ENABLE_FORWARD_INGESTER: 'false',
      START_BLOCK: String(from + blocks),
      HISTORY_STOP_HEIGHT: String(from),
    })
    const stretches = await untilCovered(pool, blocks, stretchBlocks, () => ({
      node: cpuSeconds(program.pid),
      postgres: treeCpuSeconds(postmaster),
    }))
    const seconds = (performance.now() - startedAt) / 1000
    const postgres = treeCpuSeconds(postmaster) - cpuBefore
    const wal = (await walBytes(pool)) - walBefore
    const usage = await program.end()
    const [size, raw] = [(await tableBytes(pool, schemas)) - sizeBefore, (await tableBytes(pool, ['raw'])) - rawBefore]
    const ms = (metric: string, worker: string): number => (metricSum(usage, metric, worker) * 1000) / blocks
    const { rows } = await pool.query<{ events: string }>(
      'select sum(event_count) as events from app.indexing_checkpoints',
    )
    const mib = (bytes: number): number => ((bytes / blocks) * 1000) / 2 ** 20
    const tables = await tableSizes(pool, blocks)
    await afterwards?.(database)
    return {
      blocks,
      events: Number(rows[0]?.events),
      blocksPerSecond: blocks / seconds,
      nodeMs: (usage.cpuSeconds * 1000) / blocks,
      postgresMs: (postgres * 1000) / blocks,
      databaseMiB: mib(size),
      rawMiB: mib(raw),
      walMiB: mib(wal),
      peakMiB: usage.peakMiB,
      perWorker: workers.map(({ name }) => ({
        name,
        deriveMs: ms('flowfarm_farm_derive_seconds_sum', name),
        commitMs: ms('flowfarm_farm_commit_seconds_sum', name),
        rows: metricSum(usage, 'flowfarm_farm_rows_total', name) / blocks,
      })),
      tables,
      stretches,
    }
  } finally {
    await database.close()
  }
}

/** Processor seconds so far. */
interface Spent {
  readonly node: number
  readonly postgres: number
}

/** @returns the stretches that ended while blocks were still being fetched: those after cost less, since their fetching was paid before */
async function untilCovered(
  pool: pg.Pool,
  blocks: number,
  stretchBlocks: number,
  spentSoFar: () => Spent,
): Promise<Stretch[]> {
  const stretches: Stretch[] = []
  let [begunAt, begun] = [0, spentSoFar()]
  for (;;) {
    await delay(100)
    const { fetched, derived } = await progress(pool)
    if (fetched < blocks && derived >= begunAt + stretchBlocks) {
      const now = spentSoFar()
      const perBlock = (seconds: number): number => (seconds * 1000) / (derived - begunAt)
      stretches.push({
        upTo: derived,
        nodeMs: perBlock(now.node - begun.node),
        postgresMs: perBlock(now.postgres - begun.postgres),
      })
      begunAt = derived
      begun = now
    }
    if (derived >= blocks) return stretches
  }
}

/** Blocks that are stored, and those that every worker has done. */
async function progress(pool: pg.Pool): Promise<{ fetched: number; derived: number }> {
  const { rows } = await pool.query<{ workers: number; fetched: number; derived: number }>(
    `select count(*) filter (where not ingests)::int as workers, coalesce(sum(blocks) filter (where ingests), 0)::int as fetched,
       coalesce(min(blocks) filter (where not ingests), 0)::int as derived
     from (select service_name like '%ingester' as ingests, coalesce((select sum(upper(r) - lower(r)) from unnest(covered) as r), 0) as blocks
           from app.coverage) as each`,
  )
  const { workers: begun, fetched, derived } = rows[0] ?? { workers: 0, fetched: 0, derived: 0 }
  return { fetched, derived: begun < workers.length ? 0 : derived }
}

async function tableSizes(pool: pg.Pool, blocks: number): Promise<WholeProgram['tables']> {
  await pool.query('analyze')
  const { rows } = await pool.query<{ name: string; bytes: string; rows: string }>(
    `select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes, sum(greatest(c.reltuples, 0)) as rows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_inherits i on i.inhrelid = c.oid
     where n.nspname = any($1) and c.relkind = 'r'
     group by 1 order by 2 desc limit 40`,
    [schemas],
  )
  return rows.map(({ name, bytes, rows: count }) => ({
    name,
    bytes: Number(bytes) / blocks,
    rows: Number(count) / blocks,
  }))
}
