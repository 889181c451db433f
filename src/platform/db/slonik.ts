import type { ConnectionOptions } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import {
  createPool,
  createTypeParserPreset,
  ConnectionError,
  DataIntegrityError,
  NotFoundError,
  SchemaValidationError,
  sql,
} from 'slonik'
import type {
  DatabasePool,
  DriverFactory,
  FragmentSqlToken,
  Interceptor,
  Query,
  QueryResultRow,
  QuerySqlToken,
} from 'slonik'
import { createPgDriverFactory } from '@slonik/pg-driver'
import { Client, types } from 'pg'
import type { z } from 'zod'
import { fixedStatement } from './named-query.ts'
import type { StatementValue } from './named-query.ts'
import { databaseIdentity } from './pool.ts'
import { PreparedStatements } from './prepared-statements.ts'

export interface ReadPoolOptions {
  url: string
  /** At least 2. */
  maxConnections?: number
  minConnections?: number
  statementTimeoutMs?: number
  /** Added to the statement timeout: after it a connection counts as dead. */
  answerGraceMs?: number
  checkPrepared?: boolean
}

/** `databaseIdentity` for statements of slonik. */
export const databaseIdentityFragment = { ...sql.fragment``, sql: databaseIdentity }

const maxPreparedConnections = 4

/** With hundreds of partitions each text uses up to some MB per server connection. */
const maxPrepared = 100

const maxNameLength = 63

/**
 * A named statement without a response for this time may wait behind a blocked one, so it is sent again on a pool
 * connection.
 */
const resendMs = 1000

const idleTimeoutMs = 60_000

/**
 * A pool for typed reads. Rows are checked against the zod schema of `sql.type(…)`.
 *
 * - `int8` becomes a number, `timestamptz` ISO 8601 UTC text, `bytea` a Buffer.
 * - Named statements (`sql.prepared(…)`) use separate connections (`PreparedStatements`) unless
 *   those are stuck. Their rows need no check in production.
 * - Connections are not reset on return, which saves a round trip: do not change session settings.
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
    depth: 16,
    queueMs: 5,
    parsers: parsersByOid,
    idleTimeoutMs,
    applicationName: 'flowfarm api',
    statementTimeoutMs,
    answerTimeoutMs: statementTimeoutMs + answerGraceMs,
  })
  return withPrepared(pool, prepared, checkPrepared)
}

/**
 * Builds a statement once for each set of given values.
 *
 * @param types of all parameters, in PostgreSQL
 * @param build must use every parameter that it gets
 */
export function shapedStatement<Values extends object, Row extends z.ZodType>(
  types: Readonly<Record<keyof Values & string, string>>,
  build: (parameters: { readonly [Name in keyof Values]: FragmentSqlToken }) => QuerySqlToken<Row>,
): (values: Values) => QuerySqlToken<Row> {
  const statements = new Map<string, (...values: readonly StatementValue[]) => QuerySqlToken<Row>>()
  const names = Object.keys(types) as (keyof Values & string)[]
  return (values) => {
    const given = names.filter((name) => values[name] !== undefined)
    const shape = given.join(' ')
    let statement = statements.get(shape)
    if (statement === undefined) {
      const parameters = given.map(
        (name, i) => [name, { ...sql.fragment``, sql: `$${i + 1}::${types[name]}` }] as const,
      )
      statement = fixedStatement(build(Object.fromEntries(parameters) as Parameters<typeof build>[0]))
      statements.set(shape, statement)
    }
    return statement(...given.map((name) => values[name] as StatementValue))
  }
}

function withPrepared(pool: DatabasePool, prepared: PreparedStatements, isChecked: boolean): DatabasePool {
  const { any, maybeOne, one, end } = pool
  const known = new Map<string, { readonly name: string; readonly text: string }>()
  const statementOf = (query: QuerySqlToken): { readonly name: string; readonly text: string } | undefined => {
    const found = query.name === undefined ? undefined : known.get(query.sql)
    if (found !== undefined || query.name === undefined || known.size >= maxPrepared) return found
    const statement = {
      name: `${known.size} ${query.name}`.slice(0, maxNameLength),
      text: query.sql.replaceAll('$slonik_', '$'),
    }
    known.set(query.sql, statement)
    return statement
  }
  const read = async (query: QuerySqlToken): Promise<readonly unknown[]> => {
    const statement = statementOf(query)
    // A pool connection waits only for its own statement.
    if (statement === undefined || prepared.isStuck) return any(query)
    const answered = prepared.query({ ...statement, values: query.values }).then(({ rows }) => {
      return isChecked ? rows.map((row) => checkPreparedRow(query, row)) : rows
    })
    return orLater(answered, resendMs, async () => any(query))
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

/** The first result of two attempts. Only the first attempt may fail. */
async function orLater<T>(first: Promise<T>, afterMs: number, again: () => Promise<T>): Promise<T> {
  const second = Promise.withResolvers<T>()
  const timer = setTimeout(() => void again().then(second.resolve, () => undefined), afterMs)
  try {
    return await Promise.race([first, second.promise])
  } finally {
    clearTimeout(timer)
  }
}

function named(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('application_name')) parsed.searchParams.set('application_name', 'flowfarm api')
  return parsed.href
}

/** Slonik uses other option names than `pg` and ignores the CA. */
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

/** PostgreSQL prints `2026-01-31 12:00:00.5+00`; the offset is in whole hours where possible. */
function isoTime(text: string): string {
  // `Date` takes several times as long.
  if (text.endsWith('+00') && text[4] === '-' && text[10] === ' ')
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, '0')}Z`
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString()
}

const { builtins } = types

const parsersByOid: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, safeInteger],
  [builtins.TIMESTAMPTZ, isoTime],
  [builtins.DATE, String],
])

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

/** Rows are unchecked in production, so a check must neither drop nor change fields. */
function checkPreparedRow(query: QuerySqlToken, row: QueryResultRow): QueryResultRow {
  const checked = checkedRow(query.parser, query, row)
  if (!isDeepStrictEqual(checked, row))
    throw new TypeError(`rows of the statement "${query.name}" do not match their schema`)
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
              timeout.reject(new ConnectionError(`no response from the database within ${timeoutMs} ms`))
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
