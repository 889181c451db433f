import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { Pool } from 'pg'
import type { PoolClient, PoolConfig } from 'pg'
import { isPgPool, PostgresConnection, PostgresQueueBackend } from 'bullmq'
import type { PgPool, QueueBaseOptions } from 'bullmq'
import { pause } from '../../base/retry.ts'

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>

/** How often the connection that hears of new jobs is asked for a sign of life, and how long it may take to give it, ms. */
const heartbeatMs = 10_000
const answerTimeoutMs = 10_000

/** Pause after a job could not be fetched, ms: BullMQ asks again at once when it does not know the error. */
const failedFetchPauseMs = 250

/**
 * The pool and the LISTEN client that all queues of a process share. BullMQ's default, a pool and a LISTEN client for
 * each queue and each worker, makes 48 connections for 16 workers, where a server has 100 to give in all.
 */
export class PostgresQueueConnection extends PostgresConnection {
  readonly #pool: Pool
  #watched: ListenClient | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(config: PoolConfig) {
    const pool = new Pool(config)
    // A connection that breaks in use, or as soon as it is there, would end the process if nobody listened; whoever uses
    // it is told anyway.
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
    // BullMQ leaves the pool to us: only then does the client that listens come from it, with those who listen for errors.
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
export class SharedPostgresBackend extends PostgresQueueBackend {
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
