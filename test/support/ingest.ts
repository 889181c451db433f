import type pg from 'pg'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { Lifecycle, Shared } from '../../src/platform/service.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { contains, normalize, parseMultirange, union } from '../../src/platform/ranges.ts'
import type { HeightSet } from '../../src/platform/ranges.ts'
import { Terminal } from '../../src/platform/terminal.ts'
import { startIngest } from '../../src/services.ts'
import type { IngestTimeouts } from '../../src/ingest/service.ts'
import type { WeighedBlock } from '../../src/flow/decoded-block.ts'
import type { TestDatabase } from './database.ts'
import { untilNotified } from './until-notified.ts'

export interface RunningIngest {
  readonly lifecycle: Lifecycle
  readonly metrics: Metrics
  /** Stops the ingesters. Throws the error that stopped them, if any. */
  stop(): Promise<void>
}

/**
 * The ingest service as the program runs it, on a test database. `variables` are environment
 * variables.
 */
export async function runIngest(
  database: TestDatabase,
  variables: Record<string, string>,
  shared: Shared<WeighedBlock> = new Shared<WeighedBlock>(),
  timeouts: IngestTimeouts = {},
): Promise<RunningIngest> {
  const log = pino({ level: variables['LOG_LEVEL'] ?? 'silent' })
  const lifecycle = new Lifecycle(log)
  const metrics = new Metrics()
  await startIngest(
    {
      config: readConfig(variables, {}),
      databaseUrl: database.url,
      pool: database.pool,
      log,
      metrics,
      lifecycle,
      terminal: new Terminal(),
      shared,
    },
    timeouts,
  )
  return {
    lifecycle,
    metrics,
    stop: async () => {
      await lifecycle.stop('test')
      if (lifecycle.failure !== undefined) throw lifecycle.failure
    },
  }
}

/** The heights stored by both ingesters. */
export async function storedHeights(pool: pg.Pool): Promise<HeightSet> {
  const { rows } = await pool.query<{ covered: string }>(
    `select covered::text as covered from app.indexing_checkpoints where service_name in ('main_ingester', 'history_ingester')`,
  )
  return rows.reduce<HeightSet>((all, row) => union(all, normalize(parseMultirange(row.covered))), [])
}

/**
 * Resolves when every height from `from` to `to` (inclusive) is stored. Waits for commit
 * notifications.
 */
export async function untilStored(
  database: Pick<TestDatabase, 'pool' | 'url'>,
  from: number,
  to: number,
  running?: RunningIngest,
): Promise<void> {
  await untilNotified(
    database.url,
    ['flowfarm_blocks', 'flowfarm_rollback'],
    async () => {
      const stored = await storedHeights(database.pool)
      return stored.some((range) => range.from <= from && to < range.to)
    },
    running,
  )
}

/**
 * One line per raw table: row count and a content digest in key order. Equal lines mean equal
 * content. Excludes the time of recording, which differs between runs.
 */
export async function rawDigest(pool: pg.Pool): Promise<Record<string, string>> {
  const tables: Record<string, { order: string; columns?: string }> = {
    blocks: { order: 'height' },
    transactions: { order: 'block_height, tx_index' },
    events: { order: 'block_height, tx_index, event_index' },
    tx_lookup: { order: 'block_height, tx_index' },
    block_lookup: { order: 'height' },
    scripts: { order: 'script_hash' },
    unavailable: { order: 'block_height, part, tx_index', columns: 'block_height, part, tx_index, reason' },
    indexing_errors: {
      order: 'block_height, tx_index, event_index, code',
      columns: 'block_height, tx_index, event_index, code, event_type, raw_data',
    },
  }
  const out: Record<string, string> = {}
  for (const [table, { order, columns = '*' }] of Object.entries(tables)) {
    const { rows } = await pool.query<{ line: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(r::text), '' order by ${order})), '-') as line
       from (select ${columns} from raw.${table}) r`,
    )
    out[table] = rows[0]?.line ?? ''
  }
  return out
}

/** Whether a height is stored, for messages of failed tests. */
export async function isHeightStored(pool: pg.Pool, height: number): Promise<boolean> {
  return contains(await storedHeights(pool), height)
}
