import type { HeightRange } from '../platform/ranges.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { acquireLock } from '../platform/db/advisory-lock.ts'
import { asError } from '../platform/errors.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Worker } from '../../jobs/worker.ts'
import { ensurePartitions } from '../platform/db/partitions.ts'
import { query } from '../platform/db/pool.ts'
import { ingesterServices } from './leases/coverage.ts'
import { pruneLeases } from './leases/operator-leases.ts'
import type { ReadOwnWorkers } from './own/own-workers.ts'
import { pruneErrors } from '../platform/db/indexing-errors.ts'
import { pruneRequests } from './leases/requests.ts'

/** Run by one process of the farm at a time. */
export interface UpkeepJob {
  /** Lower case, dashes. */
  readonly name: string
  /** In addition to a run after each start; five fields, UTC. */
  readonly cron: string
  /** Must be idempotent, because a process can die after it. @returns figures for the log */
  readonly run: () => Promise<Readonly<Record<string, number>>>
}

interface UpkeepOptions {
  /** For pg-boss, which creates its schema `pgboss`. */
  readonly pool: pg.Pool
  readonly jobs: readonly UpkeepJob[]
  readonly log: Logger
  readonly metrics: Metrics
  /** Interval of polls per queue, s. Default 10. */
  readonly pollSeconds?: number
  /** Pause before the first retry, s; doubles up to an hour. Default 30. */
  readonly retrySeconds?: number
}

/** Other pg-boss schedules are left alone. */
const prefix = 'upkeep-'

const graceMs = 2000

/**
 * Each job has a queue that holds one job across all processes. A job whose process died is
 * delivered again after ten minutes.
 */
export class Upkeep {
  readonly #options: UpkeepOptions
  readonly #boss: PgBoss
  readonly #failures = new LogThrottle()

  constructor(options: UpkeepOptions) {
    const { pool, log } = options
    this.#options = options
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      cronMonitorIntervalSeconds: 30,
      cronWorkerIntervalSeconds: 15,
      monitorVacuum: false,
    })
    this.#boss.on('error', (error) => this.#failures.log(log, 'warn', { err: asError(error) }, 'Upkeep error'))
    this.#boss.on('warning', ({ message, data }) => log.debug({ data }, message))
  }

  /**
   * One process at a time, because pg-boss cannot create its schema concurrently.
   *
   * @throws errors of `pg` and pg-boss; the signal's reason
   */
  async start(signal?: AbortSignal): Promise<void> {
    const lock = await acquireLock(this.#options.pool, 'farm:upkeep', { signal, applicationName: 'flowfarm upkeep' })
    try {
      await this.#boss.start()
      await this.#schedule()
    } finally {
      await lock.release()
    }
  }

  /** Unless it is waiting or running. */
  async runSoon(job: string): Promise<void> {
    await this.#boss.send(prefix + job)
  }

  /** Never rejects. Bounded by `graceMs`, even if the database does not respond. */
  async stop(): Promise<void> {
    const answered = new AbortController()
    const stopped = this.#boss
      .stop({ graceful: true, timeout: graceMs })
      .catch((error: unknown) => this.#options.log.warn({ err: asError(error) }, 'Upkeep did not stop cleanly'))
      .finally(() => answered.abort())
    // The aborted delay rejects, but the other promise has been awaited by then.
    await Promise.race([stopped, delay(graceMs + 500, undefined, { signal: answered.signal }).catch(() => stopped)])
  }

  async #schedule(): Promise<void> {
    const { jobs, pollSeconds = 10, retrySeconds = 30 } = this.#options
    const queues = new Set(jobs.map(({ name }) => prefix + name))
    for (const { name } of await this.#boss.getSchedules()) {
      if (name.startsWith(prefix) && !queues.has(name)) await this.#boss.unschedule(name)
    }
    for (const job of jobs) {
      const queue = prefix + job.name
      const settings = {
        expireInSeconds: 600,
        retentionSeconds: 86_400,
        deleteAfterSeconds: 86_400,
        retryLimit: 20,
        retryDelay: retrySeconds,
        retryBackoff: true,
        retryDelayMax: 3600,
      }
      // Exclusive: a waiting, running or retried job excludes others.
      await this.#boss.createQueue(queue, { policy: 'exclusive', ...settings })
      await this.#boss.updateQueue(queue, settings)
      await this.#boss.schedule(queue, job.cron)
      await this.#boss.work(queue, { pollingIntervalSeconds: pollSeconds }, () => this.#run(job))
      await this.runSoon(job.name)
    }
  }

  async #run({ name, run }: UpkeepJob): Promise<void> {
    const { log, metrics } = this.#options
    const stop = metrics.upkeepSeconds.startTimer({ job: name })
    try {
      const did = await run()
      metrics.upkeepRuns.inc({ job: name, outcome: 'done' })
      log.debug({ job: name, ...did }, 'upkeep')
    } catch (error) {
      metrics.upkeepRuns.inc({ job: name, outcome: 'failed' })
      log.warn({ err: asError(error), job: name }, 'Upkeep job failed: it will be retried')
      throw error
    } finally {
      stop()
    }
  }
}

/** About two days on mainnet. */
const heightsAhead = 200_000

/** An older version may still run. */
const leaseAgeMs = 24 * 3600 * 1000

const errorDays = 90

const requestDays = 30

export interface UpkeepDependencies {
  readonly readOwnWorkers: ReadOwnWorkers
  readonly ensureRawPartitions: (pool: pg.Pool, range: HeightRange) => Promise<void>
  /** @returns number of rows deleted */
  readonly pruneDeliveries: (pool: pg.Pool, days: number) => Promise<number>
}

interface UpkeepSettings extends UpkeepDependencies {
  readonly webhookLogDays: number
}

export function upkeepJobs(pool: pg.Pool, workers: readonly Worker[], settings: UpkeepSettings): UpkeepJob[] {
  const { webhookLogDays, ensureRawPartitions, pruneDeliveries } = settings
  return [
    {
      name: 'make-partitions',
      cron: '*/15 * * * *',
      run: async () => ({ head: await makePartitions(pool, workers, ensureRawPartitions) }),
    },
    {
      name: 'prune-leases',
      cron: '20 * * * *',
      run: async () => ({
        pruned: await pruneLeases(
          pool,
          [...workers, ...(await settings.readOwnWorkers(pool))].map(({ name }) => name),
          leaseAgeMs,
        ),
      }),
    },
    {
      name: 'prune-webhooks',
      cron: '* * * * *',
      run: async () => ({ pruned: await pruneDeliveries(pool, webhookLogDays) }),
    },
    { name: 'prune-errors', cron: '40 3 * * *', run: async () => ({ pruned: await pruneErrors(pool, errorDays) }) },
    {
      name: 'prune-requests',
      cron: '50 3 * * *',
      run: async () => ({ pruned: await pruneRequests(pool, requestDays) }),
    },
  ]
}

/**
 * Ahead of the head, so that commits need not create them.
 *
 * @returns the highest stored height, or -1
 */
async function makePartitions(
  pool: pg.Pool,
  workers: readonly Worker[],
  ensureRawPartitions: UpkeepDependencies['ensureRawPartitions'],
): Promise<number> {
  const { rows } = await query<{ head: string | null }>(
    pool,
    'select max(upper(covered)) - 1 as head from app.indexing_checkpoints where service_name = any ($1)',
    [ingesterServices],
  )
  const head = rows[0]?.head ?? null
  if (head === null) return -1
  const range = { from: Number(head), to: Number(head) + heightsAhead }
  await ensureRawPartitions(pool, range)
  for (const table of workers.flatMap((worker) => worker.tables)) {
    if (table.partitionHeights !== undefined) await ensurePartitions(pool, table.name, table.partitionHeights, range)
  }
  return range.from
}
