import type { ClientBase, Pool, QueryResult, QueryResultRow } from 'pg'
import { asDatabaseError } from './errors.ts'
import { PreparedStatements } from './prepared-statements.ts'

/** What runs a statement on its own. */
export type StatementRunner = Pool | ClientBase | PreparedStatements

/** By their texts. */
const names = new Map<string, string>()

/**
 * Runs one statement that is run very often: the server parses and plans it once for each connection, which is about half of what a short one costs there.
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
