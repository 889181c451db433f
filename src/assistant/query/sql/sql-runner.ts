import { availableParallelism } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { Pool, PoolClient } from 'pg'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { createPool, logIdleErrors } from '../../../platform/db/pool.ts'
import type { PoolOptions } from '../../../platform/db/pool.ts'
import type { JsonValue } from '../../../platform/exact-json.ts'
import type { Logger } from '../../../platform/log.ts'
import { readKnownObjects } from './gate/known-objects.ts'
import { SqlGate } from './gate/sql-gate.ts'
import { evmSchemas, evmTables, indexerSchemas, indexerTables } from './readable-tables.ts'
import { chooseReader, isRefusedLogin } from './reader.ts'
import type { Reader } from './reader.ts'
import { readKnownTypes } from './result-types.ts'
import { ServerSessions } from './server-sessions.ts'
import type { ServerSessionsOptions } from './server-sessions.ts'
import { StatementRunner } from './statement-runner.ts'
import { Turns } from './statement-slots.ts'

/** What a statement gave: exact values, by position. */

/**
 * A value of a result, exact in JSON. `int8` and `numeric` are strings, as are NaN and the infinities; `bytea` is `0x` and lower-case
 * hex; timestamps are ISO 8601 in UTC with Z; `json` is JSON; arrays are arrays of such values; all other types are the text of the server.
 */
export type SqlValue = JsonValue

export interface SqlColumn {
  /** As the statement names it; several columns may have the same name. */
  readonly name: string
  /** PostgreSQL's name of the type: int8, numeric, text, bytea, _text for an array of texts. */
  readonly type: string
}

export interface SqlAnswer {
  readonly columns: readonly SqlColumn[]
  /** Values by position, so that columns of one name stay apart. */
  readonly rows: readonly (readonly SqlValue[])[]
  /** Rows given here, not those that were cut. */
  readonly rowCount: number
  /** There was more than is given here. */
  readonly truncated: boolean
  /** Which limit cut it: MAX_RESULT_ROWS, or the most bytes of an answer. */
  readonly truncatedBy?: 'rows' | 'bytes'
  /** From the start of the statement to its last row, without waiting for a turn. */
  readonly durationMs: number
}

export interface RunOptions {
  /** Network address of the client (`clientNetwork`), by which slots are shared. Undefined: the program itself. */
  readonly client?: string | undefined
  /** Ends the statement when whoever asked has left. */
  readonly signal?: AbortSignal
  /** Most rows of the answer, up to MAX_RESULT_ROWS, which it is without. */
  readonly maxRows?: number
}

/** Runs statements of strangers against one database: read-only, bounded, each on a connection as new. */
export interface SqlRunner {
  /**
   * Guards and runs a statement and leaves nothing of it behind.
   * @throws SqlRefusal when the gate refuses it, SqlStatementError when the database does
   * @throws ApiError `sql-timeout` (504), `too-many-statements` (429), `sql-busy` and `sql-stuck` (503, all with
   * details.retryAfterSeconds), `sql-row-too-large` and `sql-memory` (400), `sql-cancelled` (499),
   * `sql-unavailable` (503)
   */
  run(sql: string, options?: RunOptions): Promise<SqlAnswer>
  /** Guards and plans a statement without running it: for examples, repair and tests. @throws as `run` does */
  check(sql: string, options?: Pick<RunOptions, 'signal' | 'client'>): Promise<void>
  /** Database sessions that do not end although they were told to. */
  readonly stuckSessions: number
  /** Ends statements that run, and closes all connections. */
  end(): Promise<void>
}

export interface SqlRunnerOptions {
  /** Which kind of database: ours, or that of an EVM explorer. */
  readonly target: 'indexer' | 'evm'
  readonly url: string
  readonly log: Logger
  /** QUERY_TIMEOUT_S in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** MAX_RESULT_ROWS. Default 500. */
  readonly mostRows?: number
  /** ASK_MAX_RESULT_BYTES. Default 8,000,000. */
  readonly mostBytes?: number
  /** ASK_CONCURRENCY. Default: as many as there are processors, from 2 to 4. */
  readonly concurrency?: number | undefined
  /** ASK_QUEUE. Default 1,000. */
  readonly mostWaiting?: number
  /** As that of `StatementRunner`. */
  readonly answerGraceMs?: number
  /** As those of `ServerSessions`. */
  readonly interrupt?: ServerSessionsOptions['interrupt']
  readonly onStuck?: ServerSessionsOptions['onStuck']
}

/** Tables that may be read, and where names without a schema are looked for. */
const readableOf = {
  indexer: { searchPath: indexerSchemas, readable: indexerTables },
  evm: { searchPath: evmSchemas, readable: evmTables },
} as const

/**
 * What each session has, and returns to after each statement: how the server writes values, on which their reading relies, and how the
 * gate reads texts. Nothing is compiled just in time, which costs more than most statements do.
 */
function sessionSettings(searchPath: readonly string[]): NonNullable<PoolOptions['settings']> {
  return {
    search_path: searchPath.join(','),
    default_transaction_read_only: 'on',
    standard_conforming_strings: 'on',
    bytea_output: 'hex',
    DateStyle: 'ISO',
    IntervalStyle: 'postgres',
    TimeZone: 'UTC',
    extra_float_digits: '1',
    jit: 'off',
    work_mem: '32MB',
  }
}

/**
 * Opens what statements of strangers are run with in one database. Connects, to see as whom, and what there is.
 * @throws RetryableError when the database cannot be reached
 */
export async function openSqlRunner(options: SqlRunnerOptions): Promise<SqlRunner> {
  const {
    target,
    log,
    timeoutMs = 30_000,
    mostRows = 500,
    mostBytes = 8_000_000,
    concurrency = usualConcurrency(),
    mostWaiting = 1000,
  } = options
  const { searchPath, readable } = readableOf[target]
  const choose = (): Promise<Reader> => chooseReader({ url: options.url, readable, isOurs: target === 'indexer', log })
  const reader = await choose().catch((error: unknown) => {
    throw asDatabaseError(error)
  })
  const poolOptions: PoolOptions = {
    max: concurrency,
    applicationName: 'flowfarm ask',
    statementTimeoutMs: timeoutMs,
    lockTimeoutMs: timeoutMs,
    idleInTransactionTimeoutMs: timeoutMs,
    settings: sessionSettings(searchPath),
    onIdleError: logIdleErrors(log, 'a database connection of the query service was lost'),
  }
  const pool = createPool(reader.url, poolOptions)
  try {
    const known = await withClient(pool, async (client) => {
      // Our own reading is not to be as short as theirs.
      await client.query('SET statement_timeout = 0')
      return { objects: await readKnownObjects(client, { searchPath, readable }), types: await readKnownTypes(client) }
    })
    const gate = await SqlGate.open(known.objects)
    const ended = new AbortController()
    const { interrupt, onStuck } = options
    const sessions = new ServerSessions({ url: reader.url, log, signal: ended.signal, interrupt, onStuck })
    const statements = new StatementRunner({
      connect: connectAsReader({ pool, reader, choose }),
      turns: new Turns(concurrency, mostWaiting),
      types: known.types,
      role: reader.role,
      timeoutMs,
      mostBytes,
      cancel: (processId) => sessions.cancel(processId),
      endSession: (processId, onHeld) => sessions.end(processId, onHeld),
      ...(options.answerGraceMs === undefined ? {} : { answerGraceMs: options.answerGraceMs }),
      onLost: (err) => log.debug({ err }, 'a connection of the query service was closed after a statement'),
    })
    return runnerOf({ gate, statements, sessions, mostRows, ended, end: () => pool.end() })
  } catch (error) {
    await pool.end()
    throw asDatabaseError(error)
  }
}

async function withClient<T>(pool: Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await use(client)
  } finally {
    // Closed, with whatever was set.
    client.release(true)
  }
}

interface Parts {
  readonly gate: SqlGate
  readonly statements: StatementRunner
  readonly sessions: ServerSessions
  readonly mostRows: number
  readonly ended: AbortController
  readonly end: () => Promise<void>
}

/** With COSTS OFF its words stand in parentheses, so that a statement in parentheses is not taken for them. */
const explain = 'EXPLAIN (COSTS OFF) '

function runnerOf({ gate, statements, sessions, mostRows, ended, end }: Parts): SqlRunner {
  const signalOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
  return {
    run: async (sql, options = {}) =>
      statements.run({
        sql,
        judge: () => gate.check(sql),
        mostRows: Math.min(options.maxRows ?? mostRows, mostRows),
        signal: signalOf(options.signal),
        client: options.client,
      }),
    check: async (sql, options = {}) => {
      const signal = signalOf(options.signal)
      const judge = (): Promise<void> => gate.check(sql)
      await statements.run({ sql, judge, prefix: explain, mostRows: 1, signal, client: options.client })
    },
    get stuckSessions() {
      return sessions.stuckCount
    },
    end: async () => {
      ended.abort()
      await end()
    },
  }
}

/** One would let a slow statement hold all others up; on two processors four take both from the explorer. */
function usualConcurrency(): number {
  return Math.min(4, Math.max(2, availableParallelism()))
}

interface ReaderConnections {
  readonly pool: Pool
  /** As whom the pool connects. */
  readonly reader: Reader
  /** Finds the account anew, and makes it where it may. */
  readonly choose: () => Promise<Reader>
}

/**
 * Connects as the reader. Where its login was dropped, or given another password by a program whose connection string has another one, it is
 * made again, once for all that wait.
 * @returns a function that throws what the server said when that does not help
 */
function connectAsReader({ pool, reader, choose }: ReaderConnections): () => Promise<PoolClient> {
  let choosing: Promise<Reader> | undefined
  return async () => {
    try {
      return await pool.connect()
    } catch (error) {
      if (!isRefusedLogin(error)) throw error
      choosing ??= choose().finally(() => {
        choosing = undefined
      })
      if (!isDeepStrictEqual(await choosing, reader)) throw error
      return await pool.connect()
    }
  }
}
