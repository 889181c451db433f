import type { ConnectionOptions } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import {
  createPool,
  createTypeParserPreset,
  ConnectionError,
  DataIntegrityError,
  NotFoundError,
  SchemaValidationError,
} from 'slonik'
import type { DatabasePool, DriverFactory, Interceptor, Query, QueryResultRow, QuerySqlToken } from 'slonik'
import { createPgDriverFactory } from '@slonik/pg-driver'
import { Client, types } from 'pg'
import { PreparedStatements } from './prepared-statements.ts'

export interface ReadPoolOptions {
  /** A URL that Slonik understands; a unix socket goes into the host: `postgresql://user@%2Ffolder/name`. */
  url: string
  /** Most connections, but two at least. Default 10. */
  maxConnections?: number
  /** Connections that are kept open when idle. Default 0. */
  minConnections?: number
  /** Longest time of a statement on the server, in milliseconds. Default 15,000. */
  statementTimeoutMs?: number
  /** Beyond the statement time-out, how long an answer may take before its connection counts as dead. Default 5,000. */
  answerGraceMs?: number
  /** Whether rows of prepared statements are checked as well; for development and tests. Default true. */
  checkPrepared?: boolean
}

/** Connections for prepared statements: each takes many at once. */
const maxPreparedConnections = 4

/**
 * Texts of prepared statements, each of which takes up to some megabytes of a connection at the server where tables
 * have hundreds of partitions. What comes after so many is not prepared.
 */
const maxPrepared = 100

/** PostgreSQL cuts longer names. */
const longestName = 63

/** After so long connections that are not needed are closed. */
const idleTimeoutMs = 60_000

/**
 * A pool for typed reads.
 *
 * - Rows are checked against the zod schema of `sql.type(…)`: a query and its type cannot drift apart.
 * - `int8` comes as a number (every height and count of ours is below 2^53), `timestamptz` as ISO 8601 text in UTC
 *   with milliseconds, `bytea` as a Buffer.
 * - Statements with a name (`sql.prepared(…)`) that are asked of the pool itself, by `any`, `maybeOne` or `one`, go
 * over connections of
 *   their own, see `PreparedStatements`, unless all of these are stuck. A name may have several texts, but few:
 * filters that are given or not. Their rows need not be
 *   checked in production, since a text always gives the same columns.
 * - Connections are not reset on return, which saves a round trip a query: nobody may leave settings on a session.
 * - A connection that does not answer is given up, so that a half-open one is not waited for as long as TCP would.
 *
 * Connects once to read the type table.
 * @throws what the driver throws when the database cannot be reached
 */
export async function createReadPool(options: ReadPoolOptions): Promise<DatabasePool> {
  const {
    url,
    maxConnections = 10,
    minConnections = 0,
    statementTimeoutMs = 15_000,
    answerGraceMs = 5000,
    checkPrepared = true,
  } = options
  const preparedConnections = Math.max(1, Math.min(maxPreparedConnections, Math.floor(maxConnections / 4)))
  const tls = tlsOf(url)
  const pool = await createPool(withoutTls(named(url)), {
    ...(tls === undefined ? {} : { ssl: tls }),
    driverFactory: withAnswerTimeout(createPgDriverFactory(), statementTimeoutMs + answerGraceMs),
    interceptors: [checkRows],
    maxPoolSize: Math.max(1, maxConnections - preparedConnections),
    minPoolSize: Math.min(minConnections, Math.max(1, maxConnections - preparedConnections)),
    connectionRetryLimit: 1,
    connectionTimeout: 5000,
    gracefulTerminationTimeout: 500,
    idleTimeout: idleTimeoutMs,
    statementTimeout: statementTimeoutMs,
    resetConnection: async () => undefined,
    typeParsers: [
      ...createTypeParserPreset().filter((parser) => !(parser.name in ownParsers)),
      ...Object.entries(ownParsers).map(([name, parse]) => ({ name, parse })),
    ],
  })
  const prepared = new PreparedStatements(named(url), {
    max: preparedConnections,
    parsers: parsersByOid,
    idleTimeoutMs,
    applicationName: 'flowfarm api',
    statementTimeoutMs,
    answerTimeoutMs: statementTimeoutMs + answerGraceMs,
  })
  return withPrepared(pool, prepared, checkPrepared)
}

function withPrepared(pool: DatabasePool, prepared: PreparedStatements, isChecked: boolean): DatabasePool {
  const { any, maybeOne, one, end } = pool
  const known = new Map<string, { readonly name: string; readonly text: string }>()
  /** Undefined: it is not to be prepared, or there are too many already. */
  const statementOf = (query: QuerySqlToken): { readonly name: string; readonly text: string } | undefined => {
    const found = query.name === undefined ? undefined : known.get(query.sql)
    if (found !== undefined || query.name === undefined || known.size >= maxPrepared) return found
    const statement = {
      name: `${known.size} ${query.name}`.slice(0, longestName),
      text: query.sql.replaceAll('$slonik_', '$'),
    }
    known.set(query.sql, statement)
    return statement
  }
  const read = async (query: QuerySqlToken): Promise<readonly unknown[]> => {
    const statement = statementOf(query)
    // A connection of the pool waits for no statement but its own.
    if (statement === undefined || prepared.isStuck) return any(query)
    const { rows } = await prepared.query({ ...statement, values: query.values })
    return isChecked ? rows.map((row) => checkPreparedRow(query, row)) : rows
  }
  const readOne = async (query: QuerySqlToken): Promise<unknown> => {
    const rows = await read(query)
    if (rows.length > 1) throw new DataIntegrityError('Query returned multiple rows.', query)
    return rows[0]
  }
  return Object.assign(pool, {
    any: read,
    maybeOne: async (query: QuerySqlToken) =>
      query.name === undefined ? maybeOne(query) : ((await readOne(query)) ?? null),
    one: async (query: QuerySqlToken) => {
      if (query.name === undefined) return one(query)
      const row = await readOne(query)
      if (row === undefined) throw new NotFoundError('Query returned no rows.', query)
      return row
    },
    end: async () => {
      await Promise.all([end(), prepared.end()])
    },
  } as Pick<DatabasePool, 'any' | 'maybeOne' | 'one' | 'end'>)
}

/** With the name under which administrators find these sessions in pg_stat_activity, unless the URL brings its own. */
function named(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('application_name')) parsed.searchParams.set('application_name', 'flowfarm api')
  return parsed.href
}

/**
 * What a URL says of TLS, as `pg` reads it for all other connections: Slonik knows other words for it, and leaves
 * out the authority.
 */
function tlsOf(url: string): ConnectionOptions | undefined {
  const { ssl } = new Client({ connectionString: url }) as { readonly ssl: boolean | ConnectionOptions }
  if (ssl === false) return undefined
  return ssl === true ? {} : ssl
}

function withoutTls(url: string): string {
  const parsed = new URL(url)
  for (const name of ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']) parsed.searchParams.delete(name)
  return parsed.href
}

const ownParsers = { int8: safeInteger, timestamptz: isoTime }

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 beyond 2^53: ${text}`)
  return value
}

/** PostgreSQL writes `2026-01-31 12:00:00.5+00`, with an offset in whole hours wherever it is one. */
function isoTime(text: string): string {
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString()
}

const { builtins } = types

/** What prepared statements give of types that are not as `pg` has them; amounts are cast to text. */
const parsersByOid: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, safeInteger],
  [builtins.TIMESTAMPTZ, isoTime],
  [builtins.DATE, String],
])

/** Slonik leaves the schema of `sql.type` to an interceptor. */
const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, query, row) => {
    return resultParser === undefined ? row : checkedRow(resultParser, query, row)
  },
}

function checkedRow(parser: QuerySqlToken['parser'], query: Query, row: QueryResultRow): QueryResultRow {
  const result = parser['~standard'].validate(row)
  if (result instanceof Promise) throw new TypeError('row schemas must be synchronous')
  if (result.issues !== undefined) throw new SchemaValidationError(query, row, result.issues)
  return result.value as QueryResultRow
}

/** In production the rows are given as they came: so they must have nothing that a check would leave out or change. */
function checkPreparedRow(query: QuerySqlToken, row: QueryResultRow): QueryResultRow {
  const checked = checkedRow(query.parser, query, row)
  if (!isDeepStrictEqual(checked, row))
    throw new TypeError(`rows of the statement "${query.name}" are not as they are declared`)
  return checked
}

function withAnswerTimeout(factory: DriverFactory, timeoutMs: number): DriverFactory {
  return async (setup) => {
    const driver = await factory(setup)
    return {
      createClient: async () => {
        const client = await driver.createClient()
        return {
          ...client,
          query: async (sql, values, queryOptions) => {
            const timeout = Promise.withResolvers<never>()
            const timer = setTimeout(() => {
              timeout.reject(new ConnectionError(`no answer from the database within ${timeoutMs} ms`))
            }, timeoutMs)
            try {
              return await Promise.race([client.query(sql, values, queryOptions), timeout.promise])
            } finally {
              clearTimeout(timer)
            }
          },
        }
      },
    }
  }
}
