import type { ClientBase, Pool, QueryResult, QueryResultRow } from 'pg'
import { asDatabaseError } from './errors.ts'
import { PreparedStatements } from './prepared-statements.ts'
import type { QuerySqlToken } from 'slonik'
import type { z } from 'zod'

/** What runs a statement on its own. */
export type StatementRunner = Pool | ClientBase | PreparedStatements

/** By their texts. */
const names = new Map<string, string>()

/**
 * Runs one statement that is run very often: the server parses and plans it once for each connection, which is
 * about half of what a short one costs there.
 * @param text always the same few: each is kept, here and in the server
 * @throws errors of our tree
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

/** What a parameter of a statement may be. */
type StatementValue = boolean | number | string | Buffer | null | readonly StatementValue[]

/**
 * A statement whose text is put together once, since to do so takes longer than to run a short one. Its parameters
 * are written as `$1`, `$2`, …
 * @param statement `sql.prepared(…)` without values
 * @returns the statement with values for its parameters
 */
export function fixedStatement<Row extends z.ZodType>(
  statement: QuerySqlToken<Row>,
): (...values: readonly StatementValue[]) => QuerySqlToken<Row> {
  if (statement.values.length > 0) throw new TypeError(`the statement "${statement.name}" is not fixed: it has values`)
  return (...values) => ({ ...statement, values })
}
