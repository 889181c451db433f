import { setTimeout as delay } from 'node:timers/promises'
import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  type QueryResult,
  type QueryResultRow,
} from 'pg'
import { FatalError, FlowfarmError } from '../errors.ts'
import { LogThrottle } from '../log-throttle.ts'
import type { Logger } from '../log.ts'
import { asDatabaseError, isConnectionLost } from './errors.ts'
import { retryWhile } from '../retry.ts'

/**
 * The server-side statement timeout is shorter, which distinguishes slow statements from dead
 * connections.
 */
export const connectionLimits = {
  statementTimeoutMs: 17_000,
  lockTimeoutMs: 15_000,
  idleInTransactionTimeoutMs: 15_000,
  answerTimeoutMs: 20_000,
  idleTimeoutMs: 5000,
} as const satisfies PoolOptions

export const shortStatementLimits = {
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 8000,
  idleInTransactionTimeoutMs: 10_000,
  answerTimeoutMs: 12_000,
  idleTimeoutMs: 5000,
} as const satisfies PoolOptions

export interface PoolOptions {
  max?: number
  applicationName?: string
  /** `statement_timeout`; 0 disables it. */
  statementTimeoutMs?: number
  /** `lock_timeout`; 0 disables it. */
  lockTimeoutMs?: number
  idleInTransactionTimeoutMs?: number
  /** Time to open a connection, or to wait for a free one. */
  connectTimeoutMs?: number
  /**
   * Wait for a free connection without limit. Only for callers that hold no other connection of the
   * pool.
   */
  waitsForConnection?: boolean
  /**
   * Time after which the connection counts as dead; 0 disables it. Must exceed
   * `statementTimeoutMs`.
   */
  answerTimeoutMs?: number
  /** False sets `synchronous_commit = off`: a server crash may undo the last commits. */
  isDurable?: boolean
  idleTimeoutMs?: number
  /** No white space in values; DISCARD ALL resets to them. */
  settings?: Readonly<Record<string, string>>
  onIdleError?: (error: Error) => void
}

/**
 * The server detects a dead client within 6 s instead of two hours; until then a session waiting
 * for COPY data keeps its locks.
 */
const deadPeerSettings = [
  'tcp_keepalives_idle=3',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=6000',
]

/** Older versions lack multirange aggregates, NULLS NOT DISTINCT and MERGE. */
const minServerVersion = 150_000

/** A pool with limits on every wait. Connects on first use; close with `pool.end()`. */
export function createPool(url: string, options: PoolOptions = {}): Pool {
  const config = clientConfig(url, options)
  const pool = new Pool({
    ...config,
    // The pool has one limit for both waits.
    ...(options.waitsForConnection === true ? { connectionTimeoutMillis: 0, Client: clientWithTimeout(config) } : {}),
    max: options.max ?? 10,
    idleTimeoutMillis: options.idleTimeoutMs ?? 30_000,
    allowExitOnIdle: true,
  })
  // Without a listener a broken idle connection would end the process.
  pool.on('error', (error) => {
    if (!pool.ending) options.onIdleError?.(error)
  })
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const idleErrors = new LogThrottle()

export function logIdleErrors(log: Logger, message = 'A database connection was lost'): (error: Error) => void {
  return (err) => idleErrors.log(log, 'warn', { err }, message)
}

function clientWithTimeout({ connectionTimeoutMillis }: ClientConfig): typeof Client {
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(typeof config === 'string' ? config : { ...config, connectionTimeoutMillis })
    }
  }
}

/** @throws FatalError `database-too-old` before PostgreSQL 15; RetryableError if unreachable */
export async function checkServerVersion(pool: Pool): Promise<void> {
  const { rows } = await query<{ server_version_num: string; server_version: string }>(
    pool,
    "SELECT current_setting('server_version_num') AS server_version_num, " +
      "current_setting('server_version') AS server_version",
  )
  const [row] = rows
  if (row !== undefined && Number(row.server_version_num) >= minServerVersion) return
  throw new FatalError(
    'database-too-old',
    `DB_URL is a PostgreSQL ${row?.server_version} server; flowfarm requires 15 or newer. ` +
      'Upgrade the server, or unset DB_URL to use the embedded one.',
  )
}

/** @throws FlowfarmError */
export async function query<Row extends QueryResultRow>(
  runner: Pool | ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult<Row>> {
  try {
    return await runner.query<Row>(text, values)
  } catch (error) {
    throw asDatabaseError(error)
  }
}

/**
 * If the connection breaks during COMMIT, the error is retryable and the commit may have happened:
 * writes must be idempotent or fenced.
 * @throws FlowfarmError
 */
export async function withTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  let client: PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw asDatabaseError(error)
  }
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await fn(client)
    const { command } = await client.query('COMMIT')
    // ROLLBACK: a statement had failed and `fn` ignored it.
    if (command !== 'COMMIT')
      throw new FatalError(
        'transaction-aborted',
        'a statement failed without an error being thrown; the transaction was rolled back',
      )
    return result
  } catch (error) {
    broken = await rollBack(client, error)
    throw asDatabaseError(error)
  } finally {
    client.release(broken)
  }
}

/** The shortest idle-in-transaction timeout is 10 s. */
const signOfLifeMs = 3000

/**
 * Waits for `other` within an open transaction, sending heartbeats so that the server does not end
 * the session. Nothing else may use the client meanwhile.
 */
export async function waitInTransaction<T>(client: ClientBase, other: Promise<T>, everyMs = signOfLifeMs): Promise<T> {
  const settled = other.then(
    () => true,
    () => true,
  )
  for (;;) {
    const waiting = new AbortController()
    const isSettled = await Promise.race([settled, delay(everyMs, false, { signal: waiting.signal })])
    waiting.abort()
    if (isSettled) return other
    await client.query('SELECT')
  }
}

/**
 * Returns an error if the connection must be closed instead; a lost connection is not used again,
 * since it could hang.
 */
export async function rollBack(client: ClientBase, cause: unknown): Promise<Error | undefined> {
  if (isConnectionLost(cause)) return asDatabaseError(cause)
  try {
    await client.query('ROLLBACK')
    return undefined
  } catch (error) {
    return asDatabaseError(error)
  }
}

export function clientConfig(url: string, options: PoolOptions = {}): ClientConfig {
  return {
    connectionString: url,
    application_name: options.applicationName ?? 'flowfarm',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    statement_timeout: options.statementTimeoutMs ?? 60_000,
    lock_timeout: options.lockTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 60_000,
    ...(options.answerTimeoutMs ? { query_timeout: options.answerTimeoutMs } : {}),
    options: [
      ...deadPeerSettings,
      ...(options.isDurable === false ? ['synchronous_commit=off'] : []),
      ...Object.entries(options.settings ?? {}).map(([name, value]) => `${name}=${value}`),
    ]
      .map((one) => `-c ${one}`)
      .join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

/**
 * Changes after a restart, a fail-over, or a restore, when cached data may be stale. A copied
 * database has the file nodes of its template but another OID.
 */
export const databaseIdentity = `
  select concat_ws(' ', pg_postmaster_start_time(), pg_relation_filenode('raw.event_shapes'),
    (select oid from pg_database where datname = current_database()))`

export async function withRetriedTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  return retryConflicts(() => withTransaction(pool, fn))
}

/** More conflicts in a row indicate another problem. */
const maxConflicts = 10

/**
 * Retries after deadlocks and serialization failures.
 * @throws errors of `fn`; the tenth conflict in a row
 */
export async function retryConflicts<T>(fn: () => Promise<T>): Promise<T> {
  let conflicts = 0
  return retryWhile(fn, {
    isRetryable: (error) => isConflict(error) && ++conflicts < maxConflicts,
    baseMs: 20,
    maxMs: 1000,
  })
}

function isConflict(error: unknown): boolean {
  return error instanceof FlowfarmError && error.code === 'transaction-conflict'
}
