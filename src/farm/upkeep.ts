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
import { pruneErrors } from '../platform/db/indexing-errors.ts'
import { pruneRequests } from './leases/requests.ts'

/** Work on the database that nobody waits for, done by the clock by one process of the farm at a time. */
export interface UpkeepJob {
  /** Lower case, dashes. */
  readonly name: string
  /** When it runs besides shortly after every start; five fields, UTC. */
  readonly cron: string
  /** Safe to do twice, since a process can die after it. @returns what it did, for the log */
  readonly run: () => Promise<Readonly<Record<string, number>>>
}

interface UpkeepOptions {
  /** For pg-boss, which lives in the schema `pgboss` and makes it when it is missing. */
  readonly pool: pg.Pool
  readonly jobs: readonly UpkeepJob[]
  readonly log: Logger
  readonly metrics: Metrics
  /** How often each queue is looked at, s. Default 10. */
  readonly pollSeconds?: number
  /** Pause before the first retry of a job that failed, s; doubles up to an hour. Default 30. */
  readonly retrySeconds?: number
}

/** Before the name of a job, in the name of its queue: schedules of others are left alone. */
const prefix = 'upkeep-'

/** How long a job under way may still take when the process stops, ms. */
const graceMs = 2000

/**
 * Runs upkeep jobs by pg-boss: each has a queue that holds one job at a time in all processes together, filled by
 * the clock and at every start. A job whose process died is given out again after ten minutes, one that fails after
 * a pause.
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
    this.#boss.on('error', (error) => this.#failures.log(log, 'warn', { err: asError(error) }, 'upkeep had an error'))
    this.#boss.on('warning', ({ message, data }) => log.debug({ data }, message))
  }

  /**
   * Resolves when the jobs are scheduled; the first run of each is soon after. One process at a time, since pg-boss
   * cannot make its schema in two. @throws errors of `pg` and of pg-boss; the signal's reason when that is aborted
   * first
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

  /** Has a job run although its time has not come; nothing happens when it waits or runs already. */
  async runSoon(job: string): Promise<void> {
    await this.#boss.send(prefix + job)
  }

  /** Never rejects. Takes no longer than a job under way may, also where the database does not answer. */
  async stop(): Promise<void> {
    const answered = new AbortController()
    const stopped = this.#boss
      .stop({ graceful: true, timeout: graceMs })
      .catch((error: unknown) => this.#options.log.warn({ err: asError(error) }, 'upkeep did not stop cleanly'))
      .finally(() => answered.abort())
    // The one that is aborted rejects; by then the other has been awaited.
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
      // Exclusive: one that waits, runs or is to be retried keeps others out.
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
      log.warn({ err: asError(error), job: name }, 'an upkeep job failed, it will be tried again')
      throw error
    } finally {
      stop()
    }
  }
}

/** Partitions are there for so many heights above the head: some two days at mainnet's pace. */
const heightsAhead = 200_000

/**
 * Leases of workers that the program no longer has are kept for this long, in case an older program still runs
 * beside it.
 */
const leaseAgeMs = 24 * 3600 * 1000

/** Indexing errors that were met no more are kept for this long. */
const errorDays = 90

/** Requests of a person that are finished are kept for this long. */
const requestDays = 30

export interface UpkeepNeighbours {
  /** Makes the partitions of the raw tables for these heights. */
  readonly ensureRawPartitions: (pool: pg.Pool, range: HeightRange) => Promise<void>
  /** @returns how many were deleted */
  readonly pruneDeliveries: (pool: pg.Pool, days: number) => Promise<number>
}

interface UpkeepSettings extends UpkeepNeighbours {
  /** WEBHOOK_LOG_DAYS. */
  readonly webhookLogDays: number
}

/** What keeps the database tidy. `workers`: all that the program has, switched on or not. */
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
          workers.map(({ name }) => name),
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
 * Makes partitions ahead of the head, so that no commit has to.
 * @returns the highest stored height, -1 while nothing is stored
 */
async function makePartitions(
  pool: pg.Pool,
  workers: readonly Worker[],
  ensureRawPartitions: UpkeepNeighbours['ensureRawPartitions'],
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
