import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { derivingWorkers, enrichmentWorkers, otherEnrichmentWorkers } from '../../../jobs/worker-names.ts'
import { parseMultirange } from '../../platform/ranges.ts'
import { presentStatus } from './schema.ts'
import type { IndexingStatus, StatusSettings, StatusFacts } from './schema.ts'

interface StatusReaderOptions {
  readonly settings: StatusSettings
  readonly chainId: () => string
  /** Sealed height reported to this process. */
  readonly latestHeight: () => number | undefined
}

export type StatusReader = (database: DatabasePool, ask: { readonly includeRanges: boolean }) => Promise<IndexingStatus>

export function createStatusReader(options: StatusReaderOptions): StatusReader {
  const { settings, chainId, latestHeight } = options
  return async (database, ask) => presentStatus(await readStatus(database, ask), settings, chainId(), latestHeight())
}

interface IngestionSettings {
  readonly RAW_ONLY: boolean
  readonly START_BLOCK: number
  readonly ENABLE_FORWARD_INGESTER: boolean
  readonly ENABLE_HISTORY_INGESTER: boolean
  readonly LATEST_WORKER_COUNT: number | undefined
  readonly LATEST_BATCH_SIZE: number | undefined
  readonly HISTORY_WORKER_COUNT: number | undefined
  readonly HISTORY_BATCH_SIZE: number | undefined
}

export function statusSettings(config: IngestionSettings): StatusSettings {
  const settings = new Map<string, unknown>(Object.entries(config))
  const workers: readonly string[] = [...derivingWorkers, ...enrichmentWorkers, ...otherEnrichmentWorkers]
  const number = (name: string): number | null => {
    const value = settings.get(name)
    return typeof value === 'number' ? value : null
  }
  const runs = (name: string): boolean => !config.RAW_ONLY && settings.get(`ENABLE_${name}`) === true
  return {
    startHeight: config.START_BLOCK,
    forwardEnabled: config.ENABLE_FORWARD_INGESTER,
    historyEnabled: config.ENABLE_HISTORY_INGESTER,
    workerEnabled: {
      main_ingester: config.ENABLE_FORWARD_INGESTER,
      history_ingester: config.ENABLE_HISTORY_INGESTER,
      ...Object.fromEntries(workers.map((name) => [name.toLowerCase(), runs(name)])),
    },
    workerConfig: {
      main_ingester: ingesterConfig(config.LATEST_WORKER_COUNT, config.LATEST_BATCH_SIZE),
      history_ingester: ingesterConfig(config.HISTORY_WORKER_COUNT, config.HISTORY_BATCH_SIZE),
      ...Object.fromEntries(
        workers.map((name) => [
          name.toLowerCase(),
          { concurrency: number(`${name}_CONCURRENCY`), range: number(`${name}_RANGE`) },
        ]),
      ),
    },
  }
}

function ingesterConfig(workers: number | undefined, batchSize: number | undefined): Record<string, number | null> {
  return { workers: workers ?? null, batch_size: batchSize ?? null }
}

const statusRow = z.object({
  checkpoints: z.array(z.object({ service: z.string(), height: z.number().nullable(), updatedAt: z.string() })),
  min: z.number().nullable(),
  max: z.number().nullable(),
  blocks: z.number(),
  transactions: z.number(),
  events: z.number(),
  oldest: z.string().nullable(),
  accounts: z.number(),
  contracts: z.number(),
  errors: z.record(z.string(), z.number()),
  deadLeases: z.record(z.string(), z.number()),
  ranges: z.string().nullable(),
})

/**
 * One statement, so a consistent snapshot. The cost grows with the coverage gaps of workers, not
 * with the chain: totals are counters; errors, accounts and contracts are counted up to 10,000.
 */
async function readStatus(database: DatabasePool, options: { includeRanges: boolean }): Promise<StatusFacts> {
  const row = await database.one(sql.type(statusRow)`
    with ingesters as (
      select * from app.indexing_checkpoints where service_name in ('main_ingester', 'history_ingester')
    ), bounds as (
      select min(lower(covered)) as min, max(upper(covered)) - 1 as max,
        coalesce(sum(block_count), 0)::int8 as blocks, coalesce(sum(tx_count), 0)::int8 as transactions,
        coalesce(sum(event_count), 0)::int8 as events
      from ingesters
    ), errors as (
      select worker_name, count(*) as count
      from (select worker_name from raw.indexing_errors where resolved_at is null limit 10000) as unresolved
      group by worker_name
    ), dead as (
      select worker_type, count(*) as count from app.worker_leases where status = 'flagged' group by worker_type
    ), reached as (
      select c.service_name, c.updated_at, case
        when c.service_name in ('main_ingester', 'history_ingester') then c.last_height
        else (select upper(first) - 1 from unnest(v.covered) as first limit 1)
      end as height
      from app.indexing_checkpoints c join app.coverage v using (service_name)
    )
    select
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'service', service_name, 'height', height,
          'updatedAt', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        ) order by service_name)
        from reached
      ), '[]') as checkpoints,
      bounds.*,
      (select timestamp from raw.blocks where height = bounds.min) as oldest,
      ${about(sql.fragment`select from app.accounts`, 'app.accounts')} as accounts,
      ${about(sql.fragment`select from app.smart_contracts where not is_removed`, 'app.smart_contracts')} as contracts,
      coalesce((select jsonb_object_agg(worker_name, count) from errors), '{}') as errors,
      coalesce((select jsonb_object_agg(worker_type, count) from dead), '{}') as "deadLeases",
      case when ${options.includeRanges} then (select range_agg(covered)::text from ingesters) end as ranges
    from bounds
  `)
  const ranges = parseMultirange(row.ranges ?? '').map(({ from, to }) => ({ from, to: to - 1 }))
  return {
    checkpoints: row.checkpoints,
    min: row.min,
    max: row.max,
    blocks: row.blocks,
    transactions: row.transactions,
    events: row.events,
    oldestBlockTimestamp: row.oldest,
    accounts: row.accounts,
    contracts: row.contracts,
    errorsByWorker: row.errors,
    deadLeasesByWorker: row.deadLeases,
    ranges: options.includeRanges ? ranges : undefined,
  }
}

/** Exact up to 10,000, then an estimate; above twice as many, nothing is counted. */
function about(rows: FragmentSqlToken, table: string): FragmentSqlToken {
  return sql.fragment`(
        select case when estimate > 20000 then estimate else (
          select case when count(*) <= 10000 then count(*) else greatest(count(*), estimate) end
          from (${rows} limit 10001) as some_rows
        ) end
        from (select reltuples::int8 as estimate from pg_class where oid = ${table}::regclass) as class
      )`
}

const healthIntervalMs = 1000

const healthTimeoutMs = 2000

/** Older results are discarded, for example after the process was suspended. */
export const maxHealthAgeMs = 5000

export interface Health {
  readonly isAlive: boolean
  /** Since the last check ended. */
  readonly ageMs: number
}

/** Health requests never reach the database. */
export class DatabaseHealth {
  readonly #database: DatabasePool
  readonly #stopping = new AbortController()
  #isAlive = false
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined
  /** A check that timed out may still hold a connection, so no second one is started. */
  #query: Promise<boolean> | undefined

  constructor(database: DatabasePool) {
    this.#database = database
  }

  async start(): Promise<void> {
    await this.#check()
    this.#checking = this.#repeat()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#checking
  }

  get(): Health {
    const ageMs = performance.now() - this.#checkedAt
    return { isAlive: this.#isAlive && ageMs <= maxHealthAgeMs, ageMs }
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await delay(healthIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.#check()
    }
  }

  async #check(): Promise<void> {
    this.#query ??= this.#database
      .query(sql.unsafe`select 1`)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#query = undefined
      })
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const giveUp = (): void => resolve(false)
    const timer = setTimeout(giveUp, healthTimeoutMs)
    this.#stopping.signal.addEventListener('abort', giveUp, { once: true })
    this.#isAlive = await Promise.race([this.#query, late])
    clearTimeout(timer)
    this.#stopping.signal.removeEventListener('abort', giveUp)
    this.#checkedAt = performance.now()
  }
}
