import { availableParallelism } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { Pool, PoolClient } from 'pg'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { createPool, logIdleErrors } from '../../../platform/db/pool.ts'
import type { PoolOptions } from '../../../platform/db/pool.ts'
import type { JsonValue } from '../../../platform/exact-json.ts'
import type { Logger } from '../../../platform/log.ts'
import { readKnownObjects } from './gate/known-objects.ts'
import type { KnownNames, KnownTables } from './gate/known-objects.ts'
import { SqlGate } from './gate/sql-gate.ts'
import { evmSchemas, evmTables, indexerSchemas, indexerTables } from './readable-tables.ts'
import { bindParameters } from './parameters.ts'
import type { Parameter } from './parameters.ts'
import { chooseReader, isRefusedLogin } from './reader.ts'
import type { Reader } from './reader.ts'
import { readKnownTypes } from './result-types.ts'
import { lowerSessionPriority, ServerSessions } from './server-sessions.ts'
import type { ServerSessionsOptions } from './server-sessions.ts'
import { StatementRunner } from './statement-runner.ts'
import type { ExportedStatement } from './statement-runner.ts'
import { statementSlots } from './statement-slots.ts'

/**
 * `int8`, `numeric`, NaN and infinities are strings; `bytea` is 0x-prefixed lower-case hex;
 * timestamps are ISO 8601 in UTC with Z; other types are the server's text.
 */
export type SqlValue = JsonValue

export interface SqlColumn {
  readonly name: string
  /** PostgreSQL type name: int8, text, _text for text[]. */
  readonly type: string
}

export interface SqlAnswer {
  readonly columns: readonly SqlColumn[]
  readonly rows: readonly (readonly SqlValue[])[]
  readonly rowCount: number
  readonly truncated: boolean
  readonly truncatedBy?: 'rows' | 'bytes'
  readonly durationMs: number
}

export interface RunOptions {
  readonly client?: string | undefined
  readonly signal?: AbortSignal
  readonly maxRows?: number
  /** For each `{{name}}` of the statement. */
  readonly parameters?: readonly Parameter[] | undefined
}

export interface ExportOptions extends Pick<ExportedStatement, 'signal' | 'timeoutMs' | 'onRows'> {
  readonly parameters: readonly Parameter[]
}

/** Runs untrusted statements on one database: read-only, bounded, each on a clean connection. */
export interface SqlRunner {
  /**
   * @throws SqlRefusal from the gate, SqlStatementError from the database; ApiError `sql-timeout`
   *   (504), `too-many-statements` (429), `sql-busy` and `sql-stuck` (503), all with
   *   `retryAfterSeconds`; `sql-row-too-large` and `sql-memory` (400), `sql-cancelled` (499),
   *   `sql-unavailable` (503)
   */
  run(sql: string, options?: RunOptions): Promise<SqlAnswer>
  /** Passes all rows to `onRows` until it returns false. @throws as `run` */
  export(sql: string, options: ExportOptions): Promise<void>
  /** Plans without running. @throws as `run` */
  check(sql: string, options?: Pick<RunOptions, 'signal' | 'client'>): Promise<void>
  /** Makes them readable besides the fixed tables, in place of those of the last call. */
  setOwnTables(tables: KnownTables): void
  /** Functions that statements may call, sorted. */
  readonly functions: readonly string[]
  /** Terminated sessions that still run. */
  readonly stuckSessions: number
  end(): Promise<void>
}

export interface SqlRunnerOptions {
  readonly target: 'indexer' | 'evm'
  readonly url: string
  readonly log: Logger
  readonly timeoutMs?: number
  readonly maxRows?: number
  readonly maxBytes?: number
  readonly concurrency?: number | undefined
  readonly maxWaiting?: number
  readonly answerGraceMs?: number
  readonly interrupt?: ServerSessionsOptions['interrupt']
  readonly onStuck?: ServerSessionsOptions['onStuck']
}

const readableOf = {
  indexer: { searchPath: indexerSchemas, readable: indexerTables },
  evm: { searchPath: evmSchemas, readable: evmTables },
} as const

/**
 * Restored after each statement. They fix the text format of values. JIT costs more than most
 * statements.
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

/** @throws RetryableError when the database is unreachable */
export async function openSqlRunner(options: SqlRunnerOptions): Promise<SqlRunner> {
  const {
    target,
    log,
    timeoutMs = 30_000,
    maxRows = 500,
    maxBytes = 8_000_000,
    concurrency = defaultConcurrency(),
    maxWaiting = 1000,
  } = options
  const { searchPath, readable } = readableOf[target]
  const choose = (): Promise<Reader> => chooseReader({ url: options.url, readable, isOurs: target === 'indexer', log })
  const reader = await choose().catch((error: unknown) => {
    throw asDatabaseError(error)
  })
  const poolOptions: PoolOptions = {
    // One for an export.
    max: concurrency + 1,
    applicationName: 'flowfarm ask',
    statementTimeoutMs: timeoutMs,
    lockTimeoutMs: timeoutMs,
    idleInTransactionTimeoutMs: timeoutMs,
    settings: sessionSettings(searchPath),
    onIdleError: logIdleErrors(log, 'A database connection of the query service was lost'),
  }
  const pool = createPool(reader.url, poolOptions)
  // Statements of users must not slow down the explorer.
  pool.on('connect', (client) => void lowerSessionPriority(client))
  try {
    const known = await withClient(pool, async (client) => {
      // The pool's timeout is for untrusted statements.
      await client.query('SET statement_timeout = 0')
      return { objects: await readKnownObjects(client, { searchPath, readable }), types: await readKnownTypes(client) }
    })
    const gate = await SqlGate.open(known.objects)
    const ended = new AbortController()
    const { interrupt, onStuck } = options
    const sessions = new ServerSessions({ url: reader.url, log, signal: ended.signal, interrupt, onStuck })
    const statements = new StatementRunner({
      connect: connectAsReader({ pool, reader, choose }),
      slots: statementSlots(concurrency, maxWaiting),
      types: known.types,
      role: reader.role,
      timeoutMs,
      maxBytes,
      cancel: (processId) => sessions.cancel(processId),
      endSession: (processId, onStuck) => sessions.end(processId, onStuck),
      ...(options.answerGraceMs === undefined ? {} : { answerGraceMs: options.answerGraceMs }),
      onLost: (err) => log.debug({ err }, 'Query service connection closed after a statement'),
    })
    return runnerOf({
      gate,
      functions: allowedNames(known.objects.functions),
      statements,
      sessions,
      maxRows,
      ended,
      end: () => pool.end(),
    })
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
    client.release(true)
  }
}

function allowedNames(names: KnownNames): readonly string[] {
  const allowed = [...names].filter(([, bySchema]) => [...bySchema.values()].every(Boolean))
  return allowed.map(([name]) => name).toSorted()
}

interface Parts {
  readonly gate: SqlGate
  readonly functions: readonly string[]
  readonly statements: StatementRunner
  readonly sessions: ServerSessions
  readonly maxRows: number
  readonly ended: AbortController
  readonly end: () => Promise<void>
}

/** In parentheses, so that a parenthesised statement is not parsed as options. */
const explain = 'EXPLAIN (COSTS OFF) '

function runnerOf({ gate, functions, statements, sessions, maxRows, ended, end }: Parts): SqlRunner {
  const signalOf = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
  return {
    run: async (sql, options = {}) => {
      const { text, values } = bindParameters(sql, options.parameters ?? [])
      return await statements.run({
        sql: text,
        values,
        judge: () => gate.check(text, values),
        maxRows: Math.min(options.maxRows ?? maxRows, maxRows),
        signal: signalOf(options.signal),
        client: options.client,
      })
    },
    export: async (sql, { parameters, ...options }) => {
      const { text, values } = bindParameters(sql, parameters)
      const judge = (): Promise<void> => gate.check(text, values)
      await statements.export({ ...options, sql: text, values, judge, signal: signalOf(options.signal) })
    },
    check: async (sql, options = {}) => {
      const signal = signalOf(options.signal)
      const judge = (): Promise<void> => gate.check(sql)
      await statements.run({ sql, judge, prefix: explain, maxRows: 1, signal, client: options.client })
    },
    setOwnTables: (tables) => gate.setOwnTables(tables),
    functions,
    get stuckSessions() {
      return sessions.stuckCount
    },
    end: async () => {
      ended.abort()
      await end()
    },
  }
}

/** More than four slow down the explorer on small machines. */
function defaultConcurrency(): number {
  return Math.min(4, Math.max(2, availableParallelism()))
}

interface ReaderConnections {
  readonly pool: Pool
  readonly reader: Reader
  readonly choose: () => Promise<Reader>
}

/** A dropped or changed login is recreated, once for all waiting callers. */
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
