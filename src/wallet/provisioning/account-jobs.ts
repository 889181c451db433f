import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { acquireLock } from '../../platform/db/advisory-lock.ts'
import type { AccountKey } from './account-store.ts'

interface AccountJobsOptions {
  /** pg-boss creates its schema `pgboss`. */
  readonly pool: pg.Pool
  readonly log: Logger
  readonly run: (key: AccountKey) => Promise<void>
  /** Default 5 s. */
  readonly pollSeconds?: number | undefined
}

const queue = 'wallet-accounts'
/** For jobs in progress at stop, ms. */
const graceMs = 2000
const maxAtOnce = 5
/** The sender works at once; a job is the backup, s. */
const takenOnAfter = 20

/**
 * Sent in the transaction that requests the account. The job of a dead process is retried after a
 * minute and at the next start.
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
    this.#boss.on('error', (error) => log.warn({ err: asError(error) }, 'Account queue error'))
    this.#boss.on('warning', ({ message, data }) => log.debug({ data }, message))
  }

  /**
   * One process at a time, because pg-boss cannot create its schema concurrently. @throws errors of
   * `pg` and pg-boss; the abort reason
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

  async sendNow({ credentialId, network }: AccountKey): Promise<void> {
    await this.#boss.send(queue, { credentialId, network })
  }

  async sendIn(client: pg.ClientBase, { credentialId, network }: AccountKey): Promise<void> {
    await this.#boss.send(
      queue,
      { credentialId, network },
      { startAfter: takenOnAfter, db: { executeSql: (text, values) => client.query(text, values) } },
    )
  }

  /** Never rejects; bounded even if the database does not respond. */
  async stop(): Promise<void> {
    const answered = new AbortController()
    const stopped = this.#boss
      .stop({ graceful: true, timeout: graceMs })
      .catch((error: unknown) =>
        this.#options.log.warn({ err: asError(error) }, 'The account queue did not stop cleanly'),
      )
      .finally(() => answered.abort())
    await Promise.race([stopped, delay(graceMs + 500, undefined, { signal: answered.signal }).catch(() => stopped)])
  }
}
