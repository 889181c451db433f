import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { acquireLock } from '../db/advisory-lock.ts'
import { asDatabaseError } from '../db/errors.ts'
import { query } from '../db/pool.ts'

/** A subscription whose turn it is to be sent to, as this process holds it. */
export interface SendJob {
  readonly id: string
  /** Which of the runs of the job this is: one that was given to somebody else meanwhile is left alone. */
  readonly retryCount: number
  readonly subscriptionId: number
}

export interface NewJob {
  readonly subscriptionId: number
  /** Default: now. */
  readonly startAfter?: Date | undefined
}

const queueName = 'webhooks'

/** Heard by senders: there are jobs. */
export const jobsChannel = 'flowfarm_webhook_jobs'

/** Held by whoever starts pg-boss, which cannot make its schema in two processes at once; the farm's upkeep takes it too. */
const startLock = 'farm:upkeep'

/**
 * Jobs of pg-boss: one says that a subscription has deliveries to be sent. A subscription has one job at most, waiting, in
 * hand or put off, so that its deliveries are sent one after the other, in all processes together. Jobs are made in the
 * transaction that writes the deliveries, and end in the one that writes what became of them; both lock the row of the
 * subscription first, so that none is forgotten between the two.
 *
 *     created ──fetch──► active ──finish──► completed (and a new one is created where more is to be sent)
 *        ▲                  │
 *        └───── its process is silent for 10 s
 */
export class SendQueue {
  readonly #pool: pg.Pool
  readonly #log: Logger
  readonly #boss: PgBoss

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schedule: false, monitorVacuum: false, superviseIntervalSeconds: 2, monitorIntervalSeconds: 2,
    })
    this.#boss.on('error', (error) => log.warn({ err: asError(error) }, 'the queue of webhooks had an error'))
    this.#boss.on('warning', ({ message, data }) => log.debug({ data }, message))
  }

  /** @throws errors of our tree; the signal's reason when that is aborted first */
  async start(signal?: AbortSignal): Promise<void> {
    const lock = await acquireLock(this.#pool, startLock, { signal, applicationName: 'flowfarm webhooks', retryMs: 50 })
    try {
      await this.#boss.start()
      await this.#boss.createQueue(queueName, {
        policy: 'exclusive', retryLimit: 1_000_000, retryDelay: 0, expireInSeconds: 600, heartbeatSeconds: 10,
        retentionSeconds: 30 * 86_400, deleteAfterSeconds: 60,
      })
    } catch (error) {
      throw asDatabaseError(error)
    } finally {
      await lock.release()
    }
  }

  /** Makes jobs in the transaction of `client`, of subscriptions that it has locked; those that have one keep it. */
  async add(client: pg.ClientBase, jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return
    await this.#boss.insert(queueName, jobs.map(({ subscriptionId, startAfter }) => ({
      data: { subscriptionId }, singletonKey: String(subscriptionId), ...(startAfter === undefined ? {} : { startAfter }),
    })), { db: executorOf(client) })
    await query(client, `select pg_notify('${jobsChannel}', '')`)
  }

  /** The same; a job that was put off is to be done now. */
  async hurry(client: pg.ClientBase, subscriptionIds: readonly number[]): Promise<void> {
    for (const id of subscriptionIds) {
      await this.#boss.update(queueName, undefined, { singletonKey: String(id), startAfter: new Date(0), db: executorOf(client) })
    }
    await this.add(client, subscriptionIds.map((subscriptionId) => ({ subscriptionId })))
  }

  /** Takes up to `most` jobs whose time has come. */
  async fetch(most: number): Promise<SendJob[]> {
    const jobs = await this.#boss.fetch<{ subscriptionId: number }>(queueName, { batchSize: most })
    return jobs.map(({ id, retryCount, data }) => ({ id, retryCount, subscriptionId: data.subscriptionId }))
  }

  /** A sign of life for jobs in hand. */
  async touch(jobs: readonly SendJob[]): Promise<void> {
    if (jobs.length > 0) await this.#boss.touch(queueName, [...jobs])
  }

  /** Ends jobs in the transaction of `client`. */
  async complete(client: pg.ClientBase, jobs: readonly SendJob[]): Promise<void> {
    if (jobs.length > 0) await this.#boss.complete(queueName, [...jobs], null, { db: executorOf(client) })
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false })
      .catch((error: unknown) => this.#log.warn({ err: asError(error) }, 'the queue of webhooks did not stop cleanly'))
  }
}

function executorOf(client: pg.ClientBase): { executeSql: (text: string, values?: unknown[]) => Promise<pg.QueryResult> } {
  return { executeSql: (text, values) => client.query(text, values) }
}
