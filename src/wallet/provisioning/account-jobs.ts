import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { acquireLock } from '../../platform/db/advisory-lock.ts'
import type { AccountKey } from './account-store.ts'

interface AccountJobsOptions {
  /** For pg-boss, which lives in the schema `pgboss` and makes it when it is missing. */
  readonly pool: pg.Pool
  readonly log: Logger
  /** Brings an account to its end. It may be given one that is being made, also elsewhere, and one that is there. */
  readonly run: (key: AccountKey) => Promise<void>
  /** How often it is looked for jobs that others have left, s. Default 5. */
  readonly pollSeconds?: number | undefined
}

const queue = 'wallet-accounts'
/** How long a job under way may still take when the process stops, ms. */
const graceMs = 2000
/** Accounts that are taken on at once in a process for others. */
const maxAtOnce = 5
/** Who sends a job also does the work at once; when it is looked at, s, that is done or will not be. */
const takenOnAfter = 20

/**
 * Unfinished accounts as pg-boss jobs. A job is sent in the transaction that wants the account; a job of a dead process
 * is retried after a minute and at the next start.
 */
export class AccountJobs {
  readonly #options: AccountJobsOptions
  readonly #boss: PgBoss

  constructor(options: AccountJobsOptions) {
    const { pool, log } = options
    this.#options = options
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schedule: false,
      monitorVacuum: false,
      monitorIntervalSeconds: 15,
    })
    this.#boss.on('error', (error) => log.warn({ err: asError(error) }, 'the queue of accounts had an error'))
    this.#boss.on('warning', ({ message, data }) => log.debug({ data }, message))
  }

  /**
   * One process at a time: pg-boss cannot create its schema twice. @throws errors of `pg` and pg-boss; the abort reason
   */
  async start(signal?: AbortSignal): Promise<void> {
    const { pool, run, pollSeconds = 5 } = this.#options
    const lock = await acquireLock(pool, 'farm:upkeep', { signal, applicationName: 'flowfarm wallet' })
    try {
      await this.#boss.start()
      const settings = {
        heartbeatSeconds: 20,
        expireInSeconds: 3600,
        retentionSeconds: 7 * 86_400,
        deleteAfterSeconds: 86_400,
        retryLimit: 1000,
        retryDelay: 2,
        retryBackoff: true,
        retryDelayMax: 60,
      }
      await this.#boss.createQueue(queue, { policy: 'standard', ...settings })
      await this.#boss.updateQueue(queue, settings)
    } finally {
      await lock.release()
    }
    await this.#boss.work<AccountKey>(
      queue,
      { pollingIntervalSeconds: pollSeconds, localConcurrency: maxAtOnce },
      async ([job]) => {
        if (job !== undefined) await run(job.data)
      },
    )
  }

  /** For an account that nobody is at. */
  async sendNow({ credentialId, network }: AccountKey): Promise<void> {
    await this.#boss.send(queue, { credentialId, network })
  }

  /** A job as a backup for an account that the caller makes. @param client its transaction */
  async sendIn(client: pg.ClientBase, { credentialId, network }: AccountKey): Promise<void> {
    await this.#boss.send(
      queue,
      { credentialId, network },
      { startAfter: takenOnAfter, db: { executeSql: (text, values) => client.query(text, values) } },
    )
  }

  /** Never rejects. Takes no longer than a job under way may, also where the database does not answer. */
  async stop(): Promise<void> {
    const answered = new AbortController()
    const stopped = this.#boss
      .stop({ graceful: true, timeout: graceMs })
      .catch((error: unknown) =>
        this.#options.log.warn({ err: asError(error) }, 'the queue of accounts did not stop cleanly'),
      )
      .finally(() => answered.abort())
    await Promise.race([stopped, delay(graceMs + 500, undefined, { signal: answered.signal }).catch(() => stopped)])
  }
}
