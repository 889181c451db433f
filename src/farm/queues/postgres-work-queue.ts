import { EventEmitter } from 'node:events'
import { runMigrations, SchemaVersionMismatchError, isPgPool, PostgresConnection, PostgresQueueBackend } from 'bullmq'
import type { PgPool, QueueBaseOptions } from 'bullmq'
import { Pool } from 'pg'
import type { PoolClient } from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { retryConflicts } from '../../platform/db/pool.ts'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { pause } from '../../platform/retry.ts'
import { BullWorkQueue } from './bull-work-queue.ts'

const schema = 'bullmq'

/** One for LISTEN for each of the two consumers. */
const poolSize = 6 + 2

/** SQLSTATEs for a dropped schema. */
const missingObject: ReadonlySet<string> = new Set(['42P01', '42883', '42704', '3F000'])

export type PostgresWorkQueue = BullWorkQueue<RangeQueueBackend, PgPool>

/**
 * In the schema `bullmq`. Commits are asynchronous, so a server crash may lose the last jobs, which
 * the coordinator enqueues again.
 *
 * @throws FatalError `queue-too-new`; RetryableError if the database is unreachable
 */
export async function createPostgresWorkQueue(databaseUrl: string, log: Logger): Promise<PostgresWorkQueue> {
  const config = connectionConfig(databaseUrl)
  const migrations = new Pool({ ...config, max: 1, options: '', allowExitOnIdle: true })
  migrations.on('error', (error) => {
    if (!migrations.ending) log.warn({ err: error }, 'Database connection lost')
  })
  migrations.on('connect', (client) => client.on('error', () => undefined))
  // Other processes may use the tables now and lock them in another order.
  const migrate = (): Promise<void> =>
    retryConflicts(async () => {
      try {
        await makeSchema(migrations)
      } catch (error) {
        if (isMissing(error))
          throw new RetryableError('queue-unavailable', `Schema ${schema} was dropped during its creation`, {
            cause: error,
          })
        if (!(error instanceof SchemaVersionMismatchError)) throw asDatabaseError(error)
        throw new FatalError(
          'queue-too-new',
          `The queues in schema ${schema} are newer than this version of flowfarm: ${error.message} Start the newer ` +
            'version, or drop the schema: its jobs are enqueued again.',
          { cause: error },
        )
      }
    })
  const pool = new Pool({ ...config, options: `${config.options} -c search_path=${schema}`, max: poolSize })
  // Without a listener, a broken connection would end the process. Its user receives the error
  // anyway.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const close = async (): Promise<void> => {
    await pool.end()
    await migrations.end()
  }
  try {
    await migrate()
  } catch (error) {
    await close()
    throw error
  }
  return new BullWorkQueue(
    {
      name: 'postgres',
      factory: (name, options) => new RangeQueueBackend(name, options),
      producer: asBullPool(pool),
      consumer: asBullPool(pool),
      repair: async (error) => {
        if (!isMissing(error)) return false
        log.warn({ err: error }, 'The queue schema was dropped: creating it again')
        await migrate()
        return true
      },
      close,
    },
    log,
  )
}

function connectionConfig(databaseUrl: string) {
  // `options` in the URL would override the search_path that BullMQ adds.
  const url = new URL(databaseUrl)
  const given = url.searchParams.get('options')
  url.searchParams.delete('options')
  return {
    connectionString: url.href,
    application_name: 'flowfarm queues',
    options: [given, '-c synchronous_commit=off', '-c jit=off'].filter((part) => part !== null).join(' '),
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    query_timeout: 15_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
  }
}

async function makeSchema(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    // Truncating all tables also truncates BullMQ's migration ledger; its migrations cannot run
    // again then.
    if (await isLedgerEmpty(client)) await client.query(`drop schema ${schema} cascade`)
    await runMigrations(client, schema)
  } finally {
    client.release()
  }
}

async function isLedgerEmpty(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ hasJobs: boolean; hasLedger: boolean }>(
    `select to_regclass('${schema}.job') is not null as "hasJobs", ` +
      `to_regclass('${schema}.migration') is not null as "hasLedger"`,
  )
  const [found] = rows
  if (found?.hasJobs !== true) return false
  if (!found.hasLedger) return true
  const { rowCount } = await client.query(`select 1 from ${schema}.migration limit 1`)
  return rowCount === 0
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && missingObject.has(code)
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** With the response timeout, a silent connection is replaced within 20 s. */
const heartbeatMs = 5000

/** Pause after a failed fetch, ms: BullMQ retries unknown errors at once. */
const failedFetchPauseMs = 250

/** Of a queue or consumer: uses the shared pool, and one of its connections for LISTEN. */
class QueueConnection extends PostgresConnection {
  #listening: ListenClient | undefined
  #heartbeat: NodeJS.Timeout | undefined

  /** The schema exists. BullMQ would check it once more, and remember an outage forever. */
  override waitUntilReady(): Promise<void> {
    return Promise.resolve()
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient()
    if (client !== this.#listening && this.isClosing === undefined) {
      this.#listening = client
      this.#scheduleHeartbeat(client)
    }
    return client
  }

  override close(): Promise<void> {
    clearTimeout(this.#heartbeat)
    this.#listening = undefined
    return super.close()
  }

  /** An idle connection would not notice that its peer is gone. */
  #scheduleHeartbeat(client: ListenClient): void {
    clearTimeout(this.#heartbeat)
    this.#heartbeat = setTimeout(() => {
      client.query('select').then(
        () => this.#listening === client && this.#scheduleHeartbeat(client),
        // BullMQ replaces a connection that reports an error.
        (error: unknown) => this.#listening === client && client instanceof EventEmitter && client.emit('error', error),
      )
    }, heartbeatMs)
    this.#heartbeat.unref()
  }
}

class RangeQueueBackend extends PostgresQueueBackend {
  readonly name: string

  constructor(name: string, options: QueueBaseOptions<PgPool>) {
    super(new QueueConnection(options.connection), name, options)
    this.name = name
  }

  override async moveToActive(token: string, name?: string): Promise<unknown[]> {
    try {
      const answer: unknown[] = await super.moveToActive(token, name)
      return answer
    } catch (error) {
      await pause(failedFetchPauseMs)
      throw error
    }
  }

  /**
   * One statement: BullMQ's own method creates two temporary tables per call (10 ms instead of 0.5
   * for a few jobs), which bloats the catalogs.
   */
  override async addJobs(entries: Parameters<PostgresQueueBackend['addJobs']>[0]): Promise<string[]> {
    const results = await this.addFlow(
      entries.map(({ job, jobId, parentKeyOpts }) => ({
        jobData: job,
        jobId,
        parentKeyOpts: parentKeyOpts ?? {},
        prefix: '',
        queueName: this.name,
      })),
    )
    return results.map(([error, id]) => {
      if (error !== null) throw error
      return String(id)
    })
  }
}

/** BullMQ's pool type differs from that of `pg`. */
function asBullPool(pool: unknown): PgPool {
  if (!isPgPool(pool)) throw new TypeError('BullMQ requires a pg pool')
  return pool
}
