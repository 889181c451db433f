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
import { sql } from 'slonik'
import { retryWhile } from '../retry.ts'

/**
 * For the pools of all services. A half-open connection is to be noticed within 30 s: one that is used after the answer
 * time-out, one that is idle by being closed before long. The server gives up a statement first, so that what takes too
 * long is told from a dead link.
 */
export const connectionLimits = {
  statementTimeoutMs: 17_000,
  lockTimeoutMs: 15_000,
  idleInTransactionTimeoutMs: 15_000,
  answerTimeoutMs: 20_000,
  idleTimeoutMs: 5000,
} as const satisfies PoolOptions

/** For statements that are short by their nature and that others wait for: claims of leases and signs of life. */
export const shortStatementLimits = {
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 8000,
  idleInTransactionTimeoutMs: 10_000,
  answerTimeoutMs: 12_000,
  idleTimeoutMs: 5000,
} as const satisfies PoolOptions

export interface PoolOptions {
  /** Most connections at once. Default 10. */
  max?: number
  /** Shown in pg_stat_activity. Default `flowfarm`. */
  applicationName?: string
  /** The server ends a statement that takes longer; 0 is never. Default 60,000 ms. */
  statementTimeoutMs?: number
  /** The server ends a statement that waits longer for one lock; 0 is never. Default 30,000 ms. */
  lockTimeoutMs?: number
  /** The server ends a session that says nothing for so long inside a transaction. Default 60,000 ms. */
  idleInTransactionTimeoutMs?: number
  /** How long to wait for a new connection, and while all are in use for one of them. Default 5,000 ms. */
  connectTimeoutMs?: number
  /**
   * True: while all connections are in use, callers wait for one without a limit. For callers that have nothing else to
   * do, and never hold a connection of the pool while they wait for another. Default false.
   */
  isPatient?: boolean
  /**
   * How long to wait for the answer to one statement before its connection counts as dead; 0 is for ever. Finds the
   * half-open connection, of which TCP says nothing for minutes. Longer than `statementTimeoutMs`. Default 0.
   */
  answerTimeoutMs?: number
  /**
   * False: a commit does not wait for the disk, so a crash of the server may undo the last ones, in the reverse
   * order of the commits, which a later commit that does wait makes certain. Default true.
   */
  isDurable?: boolean
  /** A connection that was not used for so long is closed. Default 30,000 ms. */
  idleTimeoutMs?: number
  /** More settings of the server for each session, without white space in their values; DISCARD ALL returns to them. */
  settings?: Readonly<Record<string, string>>
  /** Told when an idle connection was lost. The pool has replaced it already; this is for the log. */
  onIdleError?: (error: Error) => void
}

/**
 * How the server notices that we are gone without a word, within 6 s: nothing else ends a session that waits for
 * more rows of a COPY, and until it ends all others wait for its locks; by default that is after two hours. Of no
 * effect on a unix socket.
 */
const deadPeerSettings = [
  'tcp_keepalives_idle=3',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=6000',
]

/** Lower versions lack what the schema needs (multirange aggregates, NULLS NOT DISTINCT, MERGE). */
const oldestServer = 150_000

/**
 * A pool with limits on everything that can hang, so that no fault elsewhere becomes a process that waits for ever.
 * Connects when first used. Ends with `pool.end()`.
 */
export function createPool(url: string, options: PoolOptions = {}): Pool {
  const config = clientConfig(url, options)
  const pool = new Pool({
    ...config,
    // The pool takes one limit for both kinds of waiting, and hands its settings to its clients.
    ...(options.isPatient === true ? { connectionTimeoutMillis: 0, Client: clientWithTimeout(config) } : {}),
    max: options.max ?? 10,
    idleTimeoutMillis: options.idleTimeoutMs ?? 30_000,
    allowExitOnIdle: true,
  })
  // Without a listener a connection that breaks would end the process. While it is in use its statement fails anyway.
  // One that breaks after `end` is being closed anyway.
  pool.on('error', (error) => {
    if (!pool.ending) options.onIdleError?.(error)
  })
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const idleErrors = new LogThrottle()

/** For `onIdleError`: one line for all pools of the process, whose connections all break when the server restarts. */
export function logIdleErrors(log: Logger, message = 'a database connection was lost'): (error: Error) => void {
  return (err) => idleErrors.log(log, 'warn', { err }, message)
}

/** A client that limits the time for connecting by itself. */
function clientWithTimeout({ connectionTimeoutMillis }: ClientConfig): typeof Client {
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      super(typeof config === 'string' ? config : { ...config, connectionTimeoutMillis })
    }
  }
}

/** Throws FatalError code `database-too-old` when the server is older than PostgreSQL 15; retryable if unreachable. */
export async function checkServerVersion(pool: Pool): Promise<void> {
  const { rows } = await query<{ server_version_num: string; server_version: string }>(
    pool,
    "SELECT current_setting('server_version_num') AS server_version_num, " +
      "current_setting('server_version') AS server_version",
  )
  const [row] = rows
  if (row !== undefined && Number(row.server_version_num) >= oldestServer) return
  throw new FatalError(
    'database-too-old',
    `DB_URL leads to PostgreSQL ${row?.server_version} and flowfarm needs 15 or newer: ` +
      'upgrade that server, or unset DB_URL to use the embedded one.',
  )
}

/** Runs one statement and throws errors of our tree. */
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
 * Runs `fn` in a transaction on a connection of its own and commits, or rolls back when it throws. Errors of the
 * database are thrown as errors of our tree. A COMMIT whose connection broke is retryable and may have happened: what
 * `fn` writes must be safe to do twice or be fenced.
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
    // What the server says when a statement had failed and `fn` did not pass that on.
    if (command !== 'COMMIT')
      throw new FatalError('transaction-aborted', 'a failed statement was ignored and undid its transaction')
    return result
  } catch (error) {
    broken = await rollBack(client, error)
    throw asDatabaseError(error)
  } finally {
    client.release(broken)
  }
}

/**
 * Time between two signs of life of a transaction that waits, ms: the server ends sessions that are silent for 10 s and
 * more.
 */
const signOfLifeMs = 3000

/**
 * Waits for `other` inside a transaction of `client`, which nothing else uses meanwhile. Statements in between keep the
 * server from taking the session for abandoned, as long as this process lives. @throws what `other` throws, or the
 * connection
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
 * Leaves the transaction that failed with `cause`. Returns an error when the connection is not to be used again;
 * closing it rolls back too. A lost connection is not asked: one that hangs would be waited for a second time.
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

/** How one connection is made, with the same limits; for a client of its own. */
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
    // The kernel notices a peer that is gone without a word.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

/**
 * A query for a text that differs after a restart, a fail-over, and where the tables or the database were restored:
 * what was read before may then be of a history that is gone. A database that was copied has the file nodes of its
 * template, and another OID.
 */
export const databaseIdentity = sql.fragment`
  select concat_ws(' ', pg_postmaster_start_time(), pg_relation_filenode('raw.event_shapes'),
    (select oid from pg_database where datname = current_database()))`

/** `withTransaction`, again after a conflict: for what a person asked for, who should not have to ask again. */
export async function withRetriedTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  return retryConflicts(() => withTransaction(pool, fn))
}

/** Conflicts in a row after which something else is wrong. */
const maxConflicts = 10

/**
 * Runs `fn` again when PostgreSQL ended it for a conflict with others (a deadlock, a serialization failure). It may
 * run several times, and only the last counts. @throws what `fn` throws, a conflict too when it is the tenth in a
 * row
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
