import type pg from 'pg'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { Lifecycle, Shared } from '../../src/platform/service.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { difference } from '../../src/platform/ranges.ts'
import type { HeightSet } from '../../src/platform/ranges.ts'
import { Terminal } from '../../src/platform/terminal.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { startFarm, startIngest } from '../../src/services.ts'
import type { WeighedBlock } from '../../src/flow/decoded-block.ts'
import { enrichmentOff } from './enrichment-off.ts'
import type { TestDatabase } from './database.ts'
import { untilNotified } from './until-notified.ts'

export interface RunningFarm {
  readonly lifecycle: Lifecycle
  readonly metrics: Metrics
  /** Stops all services. Throws the error that stopped them, if any. */
  stop(): Promise<void>
}

/**
 * The farm as the program runs it, with or without ingest in the same process. `variables` are
 * environment variables. History ranges are planned immediately, which saves time, and enrichment
 * is off.
 */
export async function runFarm(
  database: TestDatabase,
  variables: Record<string, string>,
  { withIngest = false } = {},
): Promise<RunningFarm> {
  const log = pino({ level: variables['LOG_LEVEL'] ?? 'silent' })
  const lifecycle = new Lifecycle(log)
  const metrics = new Metrics()
  const shared = new Shared<WeighedBlock>()
  shared.isFarmHere = true
  const context = {
    config: readConfig({ HISTORY_DERIVERS_BATCH_MS: '0', ...enrichmentOff, ...variables }, {}),
    databaseUrl: database.url,
    pool: database.pool,
    log,
    metrics,
    lifecycle,
    terminal: new Terminal(),
    shared,
  }
  if (withIngest) await startIngest(context)
  await startFarm(context)
  return {
    lifecycle,
    metrics,
    stop: async () => {
      await lifecycle.stop('test')
      if (lifecycle.failure !== undefined) throw lifecycle.failure
    },
  }
}

/**
 * Resolves when all of `names` have done `heights`. Checks after each notification of completed
 * ranges.
 */
export async function untilDerived(
  database: Pick<TestDatabase, 'pool' | 'url'>,
  names: readonly string[],
  heights: HeightSet,
  running?: RunningFarm,
): Promise<void> {
  await untilTrue(
    database,
    async () => {
      const coverage = await readCoverage(database.pool, names)
      return names.every((name) => difference(heights, coverage.get(name) ?? []).length === 0)
    },
    running,
  )
}

/** Resolves when `isTrue` returns true. Checks after every farm notification. */
export async function untilTrue(
  database: Pick<TestDatabase, 'url'>,
  isTrue: () => Promise<boolean>,
  running?: RunningFarm,
): Promise<void> {
  await untilNotified(database.url, ['flowfarm_farm', 'flowfarm_blocks', 'flowfarm_rollback'], isTrue, running)
}

/** One line per derived table: row count and an order-independent digest. */
export async function derivedDigest(pool: pg.Pool, tables: readonly string[]): Promise<Record<string, string>> {
  const out: Record<string, string> = {}
  for (const table of tables) {
    const { rows } = await pool.query<{ line: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '-') as line from ${table} r`,
    )
    out[table] = rows[0]?.line ?? ''
  }
  return out
}
