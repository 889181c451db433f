import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { runMigrations, SchemaVersionMismatchError, isPgPool, PostgresConnection, PostgresQueueBackend } from 'bullmq'
import type { PgPool, QueueBaseOptions } from 'bullmq'
import { Pool } from 'pg'
import type { PoolClient, PoolConfig } from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { retryConflicts } from '../../platform/db/pool.ts'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { pause } from '../../platform/retry.ts'
import { BullWorkQueue } from './bull-work-queue.ts'

const schema = 'bullmq'

const poolSize = 6 + 1

/** SQLSTATEs for a dropped schema. */
const missingObject: ReadonlySet<string> = new Set(['42P01', '42883', '42704', '3F000'])

export type PostgresWorkQueue = BullWorkQueue<SharedPostgresBackend, PostgresQueueConnection>

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
  const connection = new PostgresQueueConnection({
    ...config,
    options: `${config.options} -c search_path=${schema}`,
    max: poolSize,
  })
  try {
    await migrate()
    await connection.waitUntilReady()
  } catch (error) {
    await connection.close()
    await migrations.end()
    throw asDatabaseError(error)
  }
  return new BullWorkQueue(
    {
      name: 'postgres',
      factory: (name, options) => new SharedPostgresBackend(connection, name, options),
      producer: connection,
      consumer: connection,
      repair: async (error) => {
        if (!isMissing(error)) return false
        log.warn({ err: error }, 'The queue schema was dropped: creating it again')
        await migrate()
        return true
      },
      close: async () => {
        await connection.close()
        await migrations.end()
      },
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

const heartbeatMs = 10_000
const answerTimeoutMs = 10_000

/** Pause after a failed fetch, ms: BullMQ retries unknown errors at once. */
const failedFetchPauseMs = 250

/**
 * By default BullMQ opens a pool and a LISTEN client for each queue and worker: 48 connections for
 * 16 workers, where a server allows 100.
 */
class PostgresQueueConnection extends PostgresConnection {
  readonly #pool: Pool
  #watched: ListenClient | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(config: PoolConfig) {
    const pool = new Pool(config)
    // Without a listener, a broken connection would end the process. Its user receives the error
    // anyway.
    pool.on('connect', listenForErrors)
    super(asBullPool(pool))
    this.#pool = pool
    // Each queue and each worker listens here.
    this.setMaxListeners(0)
  }

  override async getListenClient(): Promise<ListenClient> {
    const client = await super.getListenClient()
    if (client !== this.#watched) {
      this.#watched = client
      // One listener per idle worker.
      if (client instanceof EventEmitter) client.setMaxListeners(0)
      serializeQueries(client)
      this.#startHeartbeat(client)
    }
    return client
  }

  override close(): Promise<void> {
    clearTimeout(this.#heartbeat)
    this.#watched = undefined
    // BullMQ takes the LISTEN client, with its error listeners, from the pool only if it does not
    // own the pool.
    this.#closed ??= super.close().then(() => this.#pool.end())
    return this.#closed
  }

  /** An idle connection would not notice that its peer is gone. */
  #startHeartbeat(client: ListenClient): void {
    clearTimeout(this.#heartbeat)
    this.#heartbeat = setTimeout(() => {
      const timeout = setTimeout(() => destroy(client), answerTimeoutMs)
      client
        .query('select')
        .then(
          () => this.#watched === client && this.#startHeartbeat(client),
          // BullMQ notices the loss and reconnects.
          () => undefined,
        )
        .finally(() => clearTimeout(timeout))
    }, heartbeatMs)
    this.#heartbeat.unref()
  }
}

/** BullMQ's pool type differs from that of `pg`. */
function asBullPool(pool: unknown): PgPool {
  if (!isPgPool(pool)) throw new TypeError('BullMQ requires a pg pool')
  return pool
}

/** For the client's lifetime: BullMQ removes all listeners before closing it. */
function listenForErrors(client: PoolClient): void {
  const removeAll = client.removeAllListeners.bind(client)
  const ignore = (): void => undefined
  client.removeAllListeners = (...names) => removeAll(...names).on('error', ignore)
  client.on('error', ignore)
}

/** Each idle worker calls LISTEN on this client, and `pg` clients run one query at a time. */
function serializeQueries(client: ListenClient): void {
  const ask: ListenClient['query'] = client.query.bind(client)
  let last: Promise<unknown> = Promise.resolve()
  client.query = <Row>(text: string, params?: readonly unknown[]): ReturnType<typeof ask<Row>> => {
    const answer = last.then(() => ask<Row>(text, params))
    last = answer.catch(() => undefined)
    return answer
  }
}

function destroy(client: ListenClient): void {
  const stream = client.connection?.stream
  if (stream instanceof Socket) stream.destroy(new Error(`no response from PostgreSQL within ${answerTimeoutMs} ms`))
}

class SharedPostgresBackend extends PostgresQueueBackend {
  readonly name: string

  constructor(connection: PostgresQueueConnection, name: string, options: QueueBaseOptions<PostgresQueueConnection>) {
    super(connection, name, { ...options, connection: connection.pool }, true)
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

  override close(): Promise<void> {
    return Promise.resolve()
  }

  override disconnect(): Promise<void> {
    return this.disconnectBlocking()
  }
}
