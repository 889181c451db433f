import { SqlRefusal } from '../sql-refusal.ts'

/** Longer statements are of no use to a reader, and parsing one of 5 MB would stop the process for a third of a second. */
export const longestStatement = 50_000

/**
 * Refuses texts that the gate and the server might not read alike, before anything is parsed: a NUL ends the text for the parser and
 * not for everybody, and half a surrogate pair is written to the connection as another character.
 * @throws SqlRefusal `sql-text`
 */
export function refuseBadText(sql: string): void {
  if (sql.trim() === '') throw new SqlRefusal('sql-text', 'The statement is empty: send one SELECT.')
  if (sql.length > longestStatement) {
    throw new SqlRefusal('sql-text', `The statement has ${sql.length} characters, and at most ${longestStatement} are allowed: ask for less at once.`)
  }
  if (sql.includes('\0')) throw new SqlRefusal('sql-text', 'The statement has a NUL character: take it out.')
  if (!sql.isWellFormed()) throw new SqlRefusal('sql-text', 'The statement has half of a surrogate pair: take it out.')
}
