import { SqlRefusal } from '../sql-refusal.ts'

export const maxStatementLength = 50_000

/** The parser takes 2 µs for a word or sign, and its tree 100 bytes of JSON. */
export const maxTokens = 10_500

/**
 * The scanner of PostgreSQL takes the square of the length of a row of operator signs (4 s for 49,000). Rows of one
 * sign, as around comments, are harmless.
 */
const longOperator = /[-+*/<>=~!@#%^&|`?]{64,}/g
const ruler = /^\/?([-*=#~])\1*\/?$/

/**
 * Refuses, before anything is parsed, texts that the gate and the server might not read alike (a NUL ends the text
 * for the parser; half a surrogate pair is sent as another character), and those that the parser takes too long for.
 * @throws SqlRefusal `sql-text`
 */
export function refuseBadText(sql: string): void {
  if (sql.length > maxStatementLength) {
    const size = `${sql.length} characters, and at most ${maxStatementLength} are allowed`
    throw new SqlRefusal('sql-text', `The statement has ${size}: ask for less at once.`)
  }
  if (sql.trim() === '') throw new SqlRefusal('sql-text', 'The statement is empty: send one SELECT.')
  if (sql.includes('\0')) throw new SqlRefusal('sql-text', 'The statement has a NUL character: remove it.')
  if (!sql.isWellFormed()) throw new SqlRefusal('sql-text', 'The statement has half of a surrogate pair: remove it.')
  const tokens = countTokens(sql)
  if (tokens > maxTokens) {
    const size = `${tokens} words and signs, and at most ${maxTokens} are allowed`
    throw new SqlRefusal('sql-text', `The statement has ${size}: ask for less at once.`)
  }
  for (const [signs] of sql.matchAll(longOperator)) {
    if (ruler.test(signs)) continue
    const row = `a row of ${signs.length} operator signs`
    throw new SqlRefusal('sql-text', `The statement has ${row}: put spaces or words between them.`)
  }
}

/** Words, numbers and signs, also those in texts and comments. Quotes count with what they enclose. */
function countTokens(sql: string): number {
  let tokens = 0
  let isInWord = false
  for (let at = 0; at < sql.length; at++) {
    const code = sql.charCodeAt(at)
    const isDigit = code >= 48 && code <= 57
    const isWord = isDigit || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
    if (isWord ? !isInWord : code > 32 && code !== 34 && code !== 39) tokens++
    isInWord = isWord
  }
  return tokens
}
