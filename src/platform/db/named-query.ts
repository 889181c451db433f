import type { ClientBase, Pool, QueryResult, QueryResultRow } from 'pg'
import { asDatabaseError } from './errors.ts'
import { PreparedStatements } from './prepared-statements.ts'
import type { QuerySqlToken } from 'slonik'
import type { z } from 'zod'

export type StatementRunner = Pool | ClientBase | PreparedStatements

const names = new Map<string, string>()

/**
 * Runs a named prepared statement, about half the cost of a short one.
 * @param text one of a few constant texts: each is cached here and on the server.
 * @throws FlowfarmError
 */
export async function namedQuery<Row extends QueryResultRow>(
  runner: StatementRunner,
  text: string,
  values: unknown[] = [],
): Promise<QueryResult<Row>> {
  let name = names.get(text)
  if (name === undefined) names.set(text, (name = `named ${names.size + 1}`))
  if (runner instanceof PreparedStatements) return runner.query<Row>({ name, text, values })
  try {
    return await runner.query<Row>({ name, text, values })
  } catch (error) {
    throw asDatabaseError(error)
  }
}

export type StatementValue = boolean | number | string | Buffer | null | readonly StatementValue[]

/** Builds a constant statement once: building takes longer than running a short one. */
export function fixedStatement<Row extends z.ZodType>(
  statement: QuerySqlToken<Row>,
): (...values: readonly StatementValue[]) => QuerySqlToken<Row> {
  if (statement.values.length > 0) throw new TypeError(`the statement "${statement.name}" must not have values`)
  return (...values) => ({ ...statement, values })
}
