import { escapeIdentifier } from 'pg'
import { DedicatedConnection } from '../../db/dedicated-connection.ts'
import type { DedicatedConnectionOptions } from '../../db/dedicated-connection.ts'
import { asDatabaseError } from '../../db/errors.ts'

/** How the lock of a worker that asks is called. */
export function askingLock(worker: string): string {
  return `asking:${worker}`
}

/** How often a lock that another process holds is tried again, ms. */
const retryMs = 500

export interface WorkerLocksOptions extends Omit<DedicatedConnectionOptions, 'heartbeatMs'> {
  readonly workers: readonly string[]
  /** Told once for each worker whose lock this process has got. */
  readonly onHeld: (worker: string) => void
  /** Heard in the same session, for as long as it lasts. */
  readonly channel: string
  readonly onNotification: () => void
}

/**
 * The locks of several workers in one session: whatever of them is free is taken, at once and whenever it becomes so. All
 * are lost together, with the session; a process that dies loses them at once. The session hears notifications too, so that
 * a process needs one connection for both.
 */
export class WorkerLocks {
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
