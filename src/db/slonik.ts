import { createPool, createTypeParserPreset, ConnectionError, SchemaValidationError } from 'slonik'
import type { DatabasePool, DriverFactory, Interceptor, QueryResultRow } from 'slonik'
import { createPgDriverFactory } from '@slonik/pg-driver'

export interface ReadPoolOptions {
  /** A URL that Slonik understands; a unix socket goes into the host: `postgresql://user@%2Ffolder/name`. */
  url: string
  /** Most connections. Default 10. */
  maxConnections?: number
  /** Connections that are kept open when idle. Default 0. */
  minConnections?: number
  /** Longest time of a statement on the server, in milliseconds. Default 15,000. */
  statementTimeoutMs?: number
  /** Beyond the statement time-out, how long an answer may take before its connection counts as dead. Default 5,000. */
  answerGraceMs?: number
}

/**
 * A pool for typed reads.
 *
 * - Rows are checked against the zod schema of `sql.type(…)`: a query and its type cannot drift apart.
 * - `int8` comes as a number (every height and count of ours is below 2^53), `timestamptz` as ISO 8601 text in UTC
 *   with milliseconds, `bytea` as a Buffer.
 * - Connections are not reset on return, which saves a round trip a query: nobody may leave settings on a session.
 * - A connection that does not answer is given up, so that a half-open one is not waited for as long as TCP would.
 *
 * Connects once to read the type table.
 * @throws what the driver throws when the database cannot be reached
 */
export async function createReadPool(options: ReadPoolOptions): Promise<DatabasePool> {
  const { url, maxConnections = 10, minConnections = 0, statementTimeoutMs = 15_000, answerGraceMs = 5000 } = options
  return createPool(named(url), {
    driverFactory: withAnswerTimeout(createPgDriverFactory(), statementTimeoutMs + answerGraceMs),
    interceptors: [checkRows],
    maxPoolSize: maxConnections,
    minPoolSize: minConnections,
    connectionRetryLimit: 1,
    connectionTimeout: 5000,
    gracefulTerminationTimeout: 500,
    idleTimeout: 60_000,
    statementTimeout: statementTimeoutMs,
    resetConnection: async () => undefined,
    typeParsers: [
      ...createTypeParserPreset().filter((parser) => !(parser.name in ownParsers)),
      ...Object.entries(ownParsers).map(([name, parse]) => ({ name, parse })),
    ],
  })
}

/** With the name under which administrators find these sessions in pg_stat_activity, unless the URL brings its own. */
function named(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('application_name')) parsed.searchParams.set('application_name', 'flowfarm api')
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

/** Slonik leaves the schema of `sql.type` to an interceptor. */
const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, query, row) => {
    if (resultParser === undefined) return row
    const result = resultParser['~standard'].validate(row)
    if (result instanceof Promise) throw new TypeError('row schemas must be synchronous')
    if (result.issues !== undefined) throw new SchemaValidationError(query, row, result.issues)
    return result.value as QueryResultRow
  },
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
