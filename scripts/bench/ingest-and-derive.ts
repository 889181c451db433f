import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { exitCodes } from '../../src/platform/errors.ts'
import { bareCopy, rawTables, tablesOf } from './bare-copy.ts'
import type { CopiedTable } from './bare-copy.ts'
import {
  derivedBlocks,
  historyVariables,
  openBenchDatabase,
  openSource,
  startFlowfarm,
  storedBlocks,
} from './bench-programs.ts'
import type { BenchDatabase, BlockSource, SourceOptions } from './bench-programs.ts'
import { cpuSeconds, peakMemoryMiB, treeCpuSeconds } from './process-usage.ts'
import { median, numberText, print, printConditions, Sheet } from './sheet.ts'

export interface IngestAndDeriveOptions extends SourceOptions {
  readonly blocks: number
  readonly runs: number
}

const batchBlocks = 100

interface Run {
  readonly seconds: number
  readonly node: number
  readonly postgres: number
  readonly peakMiB: number
  readonly rawBytes: number
  readonly bytes: number
  readonly walBytes: number
  readonly events: number
  readonly bare: { readonly seconds: number; readonly cpuSeconds: number }
  readonly segments: readonly Segment[]
}

interface Segment {
  readonly upTo: number
  readonly nodeMs: number
  readonly postgresMs: number
}

export async function ingestAndDerive({ blocks, runs, ...given }: IngestAndDeriveOptions): Promise<number> {
  const sheet = new Sheet()
  await printConditions()
  await using source = await openSource(given, blocks)
  const name = given.node === undefined ? 'the simulated chain' : given.node
  for (const isRawOnly of [true, false]) {
    const results: Run[] = []
    for (let i = 0; i < runs; i++) results.push(await measure(source, blocks, isRawOnly))
    const of = (pick: (run: Run) => number): number => median(results.map(pick))
    const events = of((run) => run.events) / blocks
    const part = isRawOnly ? 'Raw ingest alone' : 'Ingest and all workers in one process'
    sheet.heading(`${part}: ${blocks} blocks of ${numberText(events)} events from ${name}, medians of ${runs} runs`)
    const bareRate = of((run) => blocks / run.bare.seconds)
    sheet.figure(
      'pace',
      of((run) => blocks / run.seconds),
      'blocks/s',
      { limit: bareRate, limitName: 'bare COPY' },
    )
    sheet.figure(
      'CPU of flowfarm',
      of((run) => (run.node * 1000) / blocks),
      'ms a block',
    )
    sheet.figure(
      'CPU of PostgreSQL',
      of((run) => (run.postgres * 1000) / blocks),
      'ms a block',
      {
        limit: of((run) => (run.bare.cpuSeconds * 1000) / blocks),
        limitName: 'bare COPY',
      },
    )
    sheet.figure(
      'peak memory of flowfarm',
      of((run) => run.peakMiB),
      'MiB',
    )
    const perThousand = (bytes: number): number => (bytes / 2 ** 20 / blocks) * 1000
    sheet.figure('raw tables', perThousand(of((run) => run.rawBytes)), 'MiB per 1,000')
    if (!isRawOnly) sheet.figure('all tables', perThousand(of((run) => run.bytes)), 'MiB per 1,000')
    sheet.figure('WAL', perThousand(of((run) => run.walBytes)), 'MiB per 1,000')
    for (const { upTo, nodeMs, postgresMs } of results.at(-1)?.segments ?? [])
      print(
        `    up to block ${upTo.toLocaleString('en-US')}: ${numberText(nodeMs)} + ${numberText(postgresMs)} ms a block`,
      )
  }
  sheet.end()
  return exitCodes.success
}

async function measure(source: BlockSource, blocks: number, isRawOnly: boolean): Promise<Run> {
  const database = await openBenchDatabase()
  const { pool, postmaster, url } = database
  try {
    await pool.query('checkpoint')
    const [wal, raw, all] = [await walBytes(pool), await tableBytes(pool, ['raw']), await tableBytes(pool, schemas)]
    const postgresBefore = treeCpuSeconds(postmaster)
    const program = await startFlowfarm(
      isRawOnly ? ['ingest'] : ['ingest', 'farm'],
      { DB_URL: url, ...(isRawOnly ? { RAW_ONLY: 'true' } : {}), ...historyVariables(source, blocks) },
      { ready: 'All services started' },
    )
    const startedAt = performance.now()
    const nodeBefore = cpuSeconds(program.pid)
    const spent = (): Spent => ({ node: cpuSeconds(program.pid), postgres: treeCpuSeconds(postmaster) })
    const segments = await untilDone(database, blocks, isRawOnly, spent)
    const seconds = (performance.now() - startedAt) / 1000
    const end = spent()
    const peakMiB = peakMemoryMiB(program.pid)
    await program.end()
    const written = (await walBytes(pool)) - wal
    const [rawBytes, bytes] = [(await tableBytes(pool, ['raw'])) - raw, (await tableBytes(pool, schemas)) - all]
    const { rows } = await pool.query<{ events: string }>(
      'select coalesce(sum(event_count), 0) as events from app.indexing_checkpoints',
    )
    const tables: readonly CopiedTable[] = isRawOnly ? rawTables : await tablesOf(pool, schemas)
    const heights = { from: source.from, to: source.from + blocks, batchBlocks }
    return {
      seconds,
      node: end.node - nodeBefore,
      postgres: end.postgres - postgresBefore,
      peakMiB,
      rawBytes,
      bytes,
      walBytes: written,
      events: Number(rows[0]?.events),
      bare: await bareCopy(pool, tables, heights, () => treeCpuSeconds(postmaster)),
      segments,
    }
  } finally {
    await database.close()
  }
}

interface Spent {
  readonly node: number
  readonly postgres: number
}

/** @returns segments that ended during fetching; later ones cost less */
async function untilDone(
  { pool }: BenchDatabase,
  blocks: number,
  isRawOnly: boolean,
  spentSoFar: () => Spent,
): Promise<Segment[]> {
  const segments: Segment[] = []
  let [startedAt, before] = [0, spentSoFar()]
  for (;;) {
    await delay(isRawOnly ? 20 : 100)
    const stored = await storedBlocks(pool)
    const done = isRawOnly ? stored : await derivedBlocks(pool)
    if (done >= blocks) return segments
    if (isRawOnly || stored >= blocks || done < startedAt + blocks / 5) continue
    const now = spentSoFar()
    const perBlock = (seconds: number): number => (seconds * 1000) / (done - startedAt)
    segments.push({
      upTo: done,
      nodeMs: perBlock(now.node - before.node),
      postgresMs: perBlock(now.postgres - before.postgres),
    })
    ;[startedAt, before] = [done, now]
  }
}

const schemas = ['raw', 'app', 'analytics'] as const

async function tableBytes(pool: pg.Pool, names: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r'`,
    [names],
  )
  return Number(rows[0]?.bytes)
}

async function walBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes")
  return Number(rows[0]?.bytes)
}
