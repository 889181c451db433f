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

/** Connections for the queries of all queues of a process, and one that hears of new jobs. */
const poolSize = 6 + 1

/** SQLSTATEs of a schema that is gone: undefined_table, undefined_function, undefined_object, invalid_schema_name. */
const missingObject: ReadonlySet<string> = new Set(['42P01', '42883', '42704', '3F000'])

export type PostgresWorkQueue = BullWorkQueue<SharedPostgresBackend, PostgresQueueConnection>

/**
 * Queues in the schema `bullmq` of the database itself, which is made or brought up to date here. A crash of the server
 * may lose the last jobs, since nothing waits for the disk: the farm refills the queue from the leases.
 * @throws FatalError `queue-too-new`; retryable if the database is unreachable
 */
export async function createPostgresWorkQueue(databaseUrl: string, log: Logger): Promise<PostgresWorkQueue> {
  const config = connectionConfig(databaseUrl)
  const migrations = new Pool({ ...config, max: 1, options: '', allowExitOnIdle: true })
  migrations.on('error', (error) => {
    if (!migrations.ending) log.warn({ err: error }, 'a database connection was lost')
  })
  migrations.on('connect', (client) => client.on('error', () => undefined))
  // Other processes may work with the tables at this moment, and lock them in orders of their own.
  const migrate = (): Promise<void> =>
    retryConflicts(async () => {
      try {
        await makeSchema(migrations)
      } catch (error) {
        if (isMissing(error))
          throw new RetryableError('queue-unavailable', `the schema ${schema} was dropped while it was made`, {
            cause: error,
          })
        if (!(error instanceof SchemaVersionMismatchError)) throw asDatabaseError(error)
        throw new FatalError(
          'queue-too-new',
          `The queues in schema ${schema} were made by a newer flowfarm: ${error.message} Or drop that ` +
            'schema: it is filled again.',
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
        log.warn({ err: error }, 'the schema of the queues is gone, making it anew')
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
  // `options` in the URL would take the place of ours, and with it of the search_path that BullMQ adds.
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
    // Somebody who emptied all tables emptied the ledger of migrations too, and then they cannot be run again.
    if (await lostItsLedger(client)) await client.query(`drop schema ${schema} cascade`)
    await runMigrations(client, schema)
  } finally {
    client.release()
  }
}

async function lostItsLedger(client: PoolClient): Promise<boolean> {
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

/** Whether an error of `pg` says that a schema or table is not there. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && missingObject.has(code)
}

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/**
 * How often the connection that hears of new jobs is asked for a sign of life, and how long it may take to give it,
 * ms.
 */
const heartbeatMs = 10_000
const answerTimeoutMs = 10_000

/** Pause after a job could not be fetched, ms: BullMQ asks again at once when it does not know the error. */
const failedFetchPauseMs = 250

/**
 * The pool and the LISTEN client that all queues of a process share. BullMQ's default, a pool and a LISTEN client for
 * each queue and each worker, makes 48 connections for 16 workers, where a server has 100 to give in all.
 */
class PostgresQueueConnection extends PostgresConnection {
  readonly #pool: Pool
  #watched: ListenClient | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(config: PoolConfig) {
    const pool = new Pool(config)
    // A connection that breaks in use, or as soon as it is there, would end the process if nobody listened; whoever
    // uses it is told anyway.
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
      // One listener for each idle worker.
      if (client instanceof EventEmitter) client.setMaxListeners(0)
      askOneByOne(client)
      this.#startHeartbeat(client)
    }
    return client
  }

  override close(): Promise<void> {
    clearTimeout(this.#heartbeat)
    this.#watched = undefined
    // BullMQ leaves the pool to us: only then does the client that listens come from it, with those who listen for
    // errors.
    this.#closed ??= super.close().then(() => this.#pool.end())
    return this.#closed
  }

  /** A connection that only waits would not notice that the other side is gone without a word. */
  #startHeartbeat(client: ListenClient): void {
    clearTimeout(this.#heartbeat)
    this.#heartbeat = setTimeout(() => {
      const impatience = setTimeout(() => destroy(client), answerTimeoutMs)
      client
        .query('select')
        .then(
          () => this.#watched === client && this.#startHeartbeat(client),
          // BullMQ hears of the loss itself and connects anew.
          () => undefined,
        )
        .finally(() => clearTimeout(impatience))
    }, heartbeatMs)
    this.#heartbeat.unref()
  }
}

/** BullMQ's own type of a pool is not that of `pg`. */
function asBullPool(pool: unknown): PgPool {
  if (!isPgPool(pool)) throw new TypeError('BullMQ does not take this pool')
  return pool
}

/** For as long as the client lives: BullMQ removes all listeners of one before it closes it. */
function listenForErrors(client: PoolClient): void {
  const removeAll = client.removeAllListeners.bind(client)
  const ignore = (): void => undefined
  client.removeAllListeners = (...names) => removeAll(...names).on('error', ignore)
  client.on('error', ignore)
}

/** Each idle worker says LISTEN on this client, and `pg` wants a client to be asked one thing at a time. */
function askOneByOne(client: ListenClient): void {
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
  if (stream instanceof Socket) stream.destroy(new Error(`no answer from PostgreSQL within ${answerTimeoutMs} ms`))
}

/** One queue on the shared connection, which outlives it. */
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
   * In one statement, as flows without parents: what BullMQ has for this makes two temporary tables in each call, 10 ms
   * for a few jobs where this takes 0.5, and the catalogs grow with every one.
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
