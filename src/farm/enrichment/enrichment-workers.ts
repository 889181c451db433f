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
import type { AskingLoopOptions } from './enrichment-loop.ts'

/** A worker that asks, with its settings. */
export interface RunningEnrichmentWorker extends Pick<AskingLoopOptions, 'concurrency' | 'range'> {
  readonly worker: EnrichmentWorker
}

export interface AskingFarmOptions extends Omit<AskingLoopOptions, 'worker' | 'concurrency' | 'range'> {
  readonly databaseUrl: string
  readonly askers: readonly RunningEnrichmentWorker[]
  readonly signal: AbortSignal
}

const applicationName = 'flowfarm asking'

/**
 * Runs workers that ask: of each that this process has the lock of, a loop. Others wait in other processes, and
 * take over what a process held as soon as it is gone.
 *
 *     connecting ──► holding some locks, their loops run ──session lost: loops end──► connecting … ──signal──► stopped
 *
 * For as long as a process has not noticed the loss, two may ask the same: what is stored is an answer either way.
 */
export class EnrichmentFarm {
  readonly #options: AskingFarmOptions
  readonly #loops: ReadonlyMap<string, EnrichmentLoop>
  readonly #held = new Set<string>()
  readonly #failures = new LogThrottle()

  constructor(options: AskingFarmOptions) {
    this.#options = options
    this.#loops = new Map(
      options.askers.map((asker) => [
        asker.worker.name,
        new EnrichmentLoop({ ...options, ...asker, failures: this.#failures }),
      ]),
    )
  }

  /** The workers that this process has the lock of. */
  get held(): readonly EnrichmentWorker[] {
    return this.#options.askers.map(({ worker }) => worker).filter(({ name }) => this.#held.has(name))
  }

  /** Works until the signal comes. @throws FatalError */
  async run(): Promise<void> {
    const { log, signal } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#term(() => (attempt = 1))
      } catch (thrown) {
        if (signal.aborted) break
        const error = asDatabaseError(thrown)
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 100, 5000)
        this.#failures.log(log, 'warn', { err: error, pauseMs }, 'Enrichment was interrupted: trying again')
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'stopped while waiting'))
      }
    }
  }

  /** From a session to its loss, or to the signal. */
  async #term(onProgress: () => void): Promise<void> {
    const { databaseUrl, signal, log } = this.#options
    const running: Promise<void>[] = []
    const ended = Promise.withResolvers<Error | undefined>()
    const ending = new AbortController()
    const locks = await WorkerLocks.open(databaseUrl, {
      signal,
      applicationName,
      workers: [...this.#loops.keys()],
      channel: farmChannel,
      onNotification: () => {
        for (const loop of this.#loops.values()) loop.wake()
      },
      onHeld: (worker) => {
        onProgress()
        this.#held.add(worker)
        log.debug({ worker }, 'this process asks for')
        const loop = this.#loops.get(worker)
        if (loop !== undefined) running.push(loop.run(ending.signal))
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
      ending.abort(new Error('the asking ends'))
      this.#held.clear()
      await Promise.all(running)
      await locks.close()
    }
  }
}

/** How the lock of a worker that asks is called. */
function askingLock(worker: string): string {
  return `asking:${worker}`
}

/** How often a lock that another process holds is tried again, ms. */
const retryMs = 500

interface WorkerLocksOptions extends Omit<DedicatedConnectionOptions, 'heartbeatMs'> {
  readonly workers: readonly string[]
  /** Told once for each worker whose lock this process has got. */
  readonly onHeld: (worker: string) => void
  /** Heard in the same session, for as long as it lasts. */
  readonly channel: string
  readonly onNotification: () => void
}

/**
 * The locks of several workers in one session: whatever of them is free is taken, at once and whenever it becomes
 * so. All are lost together, with the session; a process that dies loses them at once. The session hears
 * notifications too, so that a process needs one connection for both.
 */
class WorkerLocks {
  readonly #connection: DedicatedConnection
  readonly #options: WorkerLocksOptions
  readonly #held = new Set<string>()

  private constructor(connection: DedicatedConnection, options: WorkerLocksOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** Connects and takes what is free. @throws errors of our tree, or the signal's reason */
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

  /** Aborted when the session is gone: others may hold the locks by now. */
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
      [missing, missing.map(askingLock)],
    )
    for (const { worker } of rows) {
      this.#held.add(worker)
      this.#options.onHeld(worker)
    }
  }
}

/** How the asking of one question stands. */
interface AskingCount {
  readonly worker: string
  /** The table of answers. */
  readonly table: string
  /** Keys that are due; counted up to `maxCounted`, as are those that follow. */
  readonly due: number
  /** Keys whose last asking failed. */
  readonly failed: number
}

const maxCounted = 10_000

/** Counts what is due and what failed, each by an index and up to a bound. */
export async function countEnrichment(pool: pg.Pool, workers: readonly EnrichmentWorker[]): Promise<AskingCount[]> {
  const questions = workers.flatMap(({ name, questions: all }) => all.map(({ table }) => ({ worker: name, table })))
  if (questions.length === 0) return []
  const bounded = (table: string, condition: string): string =>
    `(select count(*) from (select from ${table} where ${condition} order by next_ask_at limit ${maxCounted}) x)`
  const { rows } = await query<{ due: string; failed: string }>(
    pool,
    questions
      .map(
        ({ table }, i) =>
          `select ${i} as i, ${bounded(table, 'next_ask_at <= now()')} as due, ` +
          `${bounded(table, `status = 'failed'`)} as failed`,
      )
      .join(' union all ') + ' order by i',
  )
  return questions.map((question, i) => ({
    ...question,
    due: Number(rows[i]?.due ?? 0),
    failed: Number(rows[i]?.failed ?? 0),
  }))
}
