import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import type { EnrichmentWorker } from '../../../jobs/enrichment/enrichment-worker.ts'
import { farmChannel } from '../../platform/db/listen.ts'
import { DedicatedConnection } from '../../platform/db/dedicated-connection.ts'
import type { DedicatedConnectionOptions } from '../../platform/db/dedicated-connection.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { query } from '../../platform/db/pool.ts'
import { asError, FatalError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import { EnrichmentLoop } from './enrichment-loop.ts'
import type { EnrichmentLoopOptions } from './enrichment-loop.ts'

export interface RunningEnrichmentWorker extends Pick<EnrichmentLoopOptions, 'concurrency' | 'range'> {
  readonly worker: EnrichmentWorker
}

export interface EnrichmentFarmOptions extends Omit<EnrichmentLoopOptions, 'worker' | 'concurrency' | 'range'> {
  readonly databaseUrl: string
  readonly running: readonly RunningEnrichmentWorker[]
  readonly signal: AbortSignal
}

const applicationName = 'flowfarm enrichment'

/**
 * Runs enrichment workers: every process queries keys that it claims. The one that holds the lock of a
 * worker also discovers its keys and counts them, so that this work does not grow with the processes.
 *
 *     connecting ──► holding locks ──session lost──► connecting … ──signal──► stopped
 *
 * Until a process notices the loss of its session, two may discover keys, which is harmless.
 */
export class EnrichmentFarm {
  readonly #options: EnrichmentFarmOptions
  readonly #loops: ReadonlyMap<string, EnrichmentLoop>
  readonly #held = new Set<string>()
  readonly #failures = new LogThrottle()

  constructor(options: EnrichmentFarmOptions) {
    this.#options = options
    this.#loops = new Map(
      options.running.map((one) => [
        one.worker.name,
        new EnrichmentLoop({
          ...options,
          ...one,
          failures: this.#failures,
          isDiscoverer: () => this.#held.has(one.worker.name),
        }),
      ]),
    )
  }

  get held(): readonly EnrichmentWorker[] {
    return this.#options.running.map(({ worker }) => worker).filter(({ name }) => this.#held.has(name))
  }

  /** Runs until the signal. @throws FatalError */
  async run(): Promise<void> {
    const ending = new AbortController()
    const signal = AbortSignal.any([this.#options.signal, ending.signal])
    const running = [...this.#loops.values()].map((loop) => loop.run(signal))
    try {
      await this.#holdLocks()
    } finally {
      ending.abort(new Error('enrichment is stopping'))
      await Promise.all(running)
    }
  }

  async #holdLocks(): Promise<void> {
    const { log, signal } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#term(() => (attempt = 1))
      } catch (thrown) {
        if (signal.aborted) break
        const error = asDatabaseError(thrown)
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 100, 5000)
        this.#failures.log(log, 'warn', { err: error, pauseMs }, 'Enrichment was interrupted: retrying')
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'Stopped while waiting'))
      }
    }
  }

  async #term(onProgress: () => void): Promise<void> {
    const { databaseUrl, signal, log } = this.#options
    const ended = Promise.withResolvers<Error | undefined>()
    const locks = await WorkerLocks.open(databaseUrl, {
      signal,
      applicationName,
      workers: [...this.#loops.keys()],
      channel: farmChannel,
      onNotification: () => {
        for (const loop of this.#loops.values()) loop.wake()
      },
      onStuck: (worker) => {
        onProgress()
        this.#held.add(worker)
        log.debug({ worker }, 'This process discovers the keys of the enrichment worker')
        this.#loops.get(worker)?.wake()
      },
    })
    const end = (): void => ended.resolve(locks.lost.aborted ? asError(locks.lost.reason) : undefined)
    signal.addEventListener('abort', end, { once: true })
    locks.lost.addEventListener('abort', end, { once: true })
    if (signal.aborted || locks.lost.aborted) end()
    try {
      const lost = await ended.promise
      if (lost !== undefined) throw lost
    } finally {
      signal.removeEventListener('abort', end)
      this.#held.clear()
      await locks.close()
    }
  }
}

function enrichmentLock(worker: string): string {
  return `enrichment:${worker}`
}

const retryMs = 500

interface WorkerLocksOptions extends Omit<DedicatedConnectionOptions, 'heartbeatMs'> {
  readonly workers: readonly string[]
  readonly onStuck: (worker: string) => void
  readonly channel: string
  readonly onNotification: () => void
}

/**
 * Takes each lock once it is free; all are lost with the session, which also receives
 * notifications.
 */
class WorkerLocks {
  readonly #connection: DedicatedConnection
  readonly #options: WorkerLocksOptions
  readonly #held = new Set<string>()

  private constructor(connection: DedicatedConnection, options: WorkerLocksOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** @throws errors of our tree, or the signal's reason */
  static async open(databaseUrl: string, options: WorkerLocksOptions): Promise<WorkerLocks> {
    const { signal, applicationName, answerTimeoutMs } = options
    const connection = await DedicatedConnection.open(databaseUrl, {
      signal,
      applicationName,
      answerTimeoutMs,
      heartbeatMs: retryMs,
    })
    const locks = new WorkerLocks(connection, options)
    connection.client.on('notification', options.onNotification)
    try {
      await connection.client.query(`LISTEN ${escapeIdentifier(options.channel)}`)
    } catch (error) {
      await connection.close()
      throw asDatabaseError(error)
    }
    connection.startHeartbeat(() => locks.#take())
    return locks
  }

  /** Aborted when the session is lost: other processes may hold the locks. */
  get lost(): AbortSignal {
    return this.#connection.lost
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  async #take(): Promise<void> {
    const missing = this.#options.workers.filter((worker) => !this.#held.has(worker))
    const { rows } = await this.#connection.client.query<{ worker: string }>(
      `select worker from unnest($1::text[], $2::text[]) as w (worker, lock)
       where pg_try_advisory_lock(hashtextextended(lock, 0))`,
      [missing, missing.map(enrichmentLock)],
    )
    for (const { worker } of rows) {
      this.#held.add(worker)
      this.#options.onStuck(worker)
    }
  }
}

interface EnrichmentCount {
  readonly worker: string
  readonly table: string
  /** Due keys, counted up to `maxCounted`. */
  readonly due: number
  /** Keys whose last query failed, counted up to `maxCounted`. */
  readonly failed: number
}

const maxCounted = 10_000

export async function countEnrichment(pool: pg.Pool, workers: readonly EnrichmentWorker[]): Promise<EnrichmentCount[]> {
  const tables = workers.flatMap((worker) => worker.tables.map(({ table }) => ({ worker: worker.name, table })))
  if (tables.length === 0) return []
  const bounded = (table: string, condition: string): string =>
    `(select count(*) from (select from ${table} where ${condition} order by next_ask_at limit ${maxCounted}) x)`
  const { rows } = await query<{ due: string; failed: string }>(
    pool,
    tables
      .map(
        ({ table }, i) =>
          `select ${i} as i, ${bounded(table, 'next_ask_at <= now()')} as due, ` +
          `${bounded(table, `status = 'failed'`)} as failed`,
      )
      .join(' union all ') + ' order by i',
  )
  return tables.map((table, i) => ({
    ...table,
    due: Number(rows[i]?.due ?? 0),
    failed: Number(rows[i]?.failed ?? 0),
  }))
}
