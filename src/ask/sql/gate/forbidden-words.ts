import { SqlRefusal } from '../sql-refusal.ts'

/** The words of the specification: a statement with one of them is refused, whatever it does. */
export const forbiddenWords = [
  'INSERT',
  'UPDATE',
  'DELETE',
  'DROP',
  'ALTER',
  'CREATE',
  'TRUNCATE',
  'GRANT',
  'REVOKE',
  'EXEC',
  'EXECUTE',
] as const

const pattern = new RegExp(`\\b(?:${forbiddenWords.join('|')})\\b`, 'i')

/**
 * Refuses a statement with a forbidden word anywhere, also in a text, a comment or a quoted name, as the specification has it.
 * `updated_at` is another word.
 * @throws SqlRefusal `sql-keyword`, which names the word
 */
export function refuseForbiddenWords(sql: string): void {
  const [word] = pattern.exec(sql) ?? []
  if (word === undefined) return
  throw new SqlRefusal(
    'sql-keyword',
    `The word ${word.toUpperCase()} is not allowed anywhere in a statement: only reading is. In a text, write it in two parts, ` +
      `such as '${word.slice(0, 2)}' || '${word.slice(2)}'.`,
  )
}
