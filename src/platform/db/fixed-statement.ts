import type { QuerySqlToken } from 'slonik'
import type { z } from 'zod'

/** What a parameter of a statement may be. */
export type StatementValue = boolean | number | string | Buffer | null | readonly StatementValue[]

/**
 * A statement whose text is put together once, since to do so takes longer than to run a short one. Its parameters are written as
 * `$1`, `$2`, …
 * @param statement `sql.prepared(…)` without values
 * @returns the statement with values for its parameters
 */
export function fixedStatement<Row extends z.ZodType>(
  statement: QuerySqlToken<Row>,
): (...values: readonly StatementValue[]) => QuerySqlToken<Row> {
  if (statement.values.length > 0) throw new TypeError(`the statement "${statement.name}" is not fixed: it has values`)
  return (...values) => ({ ...statement, values })
}
