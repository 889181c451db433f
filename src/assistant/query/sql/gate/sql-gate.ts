import { SqlRefusal } from '../sql-errors.ts'
import { Grammar, GrammarError, GrammarOverflow, isNode, nodeOf } from './grammar.ts'
import type { SyntaxNode } from './grammar.ts'
import type { KnownObjects } from './known-objects.ts'
import { SelectWalker } from './select-walker.ts'
import { StatementCost } from './statement-cost.ts'

/**
 * The first barrier around untrusted SQL: lets through one SELECT that only reads public data. The other barriers do
 * not rely on it, and it relies on none: the role may read nothing else, the transaction is read-only, the protocol
 * takes one statement, and nothing of the session outlives it.
 */
export class SqlGate {
  readonly #grammar: Grammar
  readonly #known: KnownObjects

  private constructor(grammar: Grammar, known: KnownObjects) {
    this.#grammar = grammar
    this.#known = known
  }

  static async open(known: KnownObjects): Promise<SqlGate> {
    return new SqlGate(await Grammar.open(), known)
  }

  /** Takes less than 100 ms of CPU. @throws SqlRefusal, the word at fault and the remedy in its message */
  async check(sql: string): Promise<void> {
    refuseBadText(sql)
    refuseForbiddenWords(sql)
    const select = await parseSelect(this.#grammar, sql)
    try {
      new SelectWalker(this.#known).check(select)
      new StatementCost(this.#known).check(select)
    } catch (error) {
      throw error instanceof RangeError ? tooDeep(error) : error
    }
  }
}

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
 * Refuses a statement with a forbidden word anywhere, also in strings, comments and quoted names, as specified.
 * `updated_at` is another word.
 * @throws SqlRefusal `sql-keyword`, which names the word
 */
function refuseForbiddenWords(sql: string): void {
  const [word] = pattern.exec(sql) ?? []
  if (word === undefined) return
  throw new SqlRefusal(
    'sql-keyword',
    `The word ${word.toUpperCase()} is not allowed anywhere in a statement: only reading is. In a text, write ` +
      'it in two parts, ' +
      `such as '${word.slice(0, 2)}' || '${word.slice(2)}'.`,
  )
}

/**
 * The syntax tree of a text that is one SELECT, or WITH … SELECT. VALUES and TABLE, which the grammar treats as forms
 * of SELECT, are refused at the beginning: the specification says SELECT.
 * @throws SqlRefusal `sql-syntax`, `sql-not-select`; `sql-text` when it is nested too deeply
 */
export async function parseSelect(grammar: Grammar, sql: string): Promise<SyntaxNode> {
  const statements = await parse(grammar, sql)
  if (statements.length > 1) throw notSelect(`There are ${statements.length} statements: send one at a time.`)
  const [first] = statements
  const statement = isNode(first) ? first['stmt'] : undefined
  const select = nodeOf(statement, 'SelectStmt')
  if (select === undefined)
    throw notSelect(`${kindOf(statement, sql)} is not allowed: write a SELECT, or WITH … SELECT.`)
  refuseOtherForms(select)
  return select
}

async function parse(grammar: Grammar, sql: string): Promise<readonly unknown[]> {
  try {
    return await grammar.parse(sql)
  } catch (error) {
    if (error instanceof GrammarOverflow) throw tooDeep(error)
    if (!(error instanceof GrammarError)) throw error
    const place = placeOf(sql, error.position)
    throw new SqlRefusal('sql-syntax', `The statement cannot be parsed: ${error.message}${place}.`, { cause: error })
  }
}

/** A statement that the stack of the process does not bear. */
function tooDeep(cause: unknown): SqlRefusal {
  return new SqlRefusal(
    'sql-text',
    'The statement is nested too deeply: write it with fewer levels, or lists with IN and = ANY.',
    { cause },
  )
}

/** Position from 0, in bytes of UTF-8. */
function placeOf(sql: string, position: number): string {
  if (position <= 0) return ''
  const before = Buffer.from(sql).subarray(0, position).toString()
  return `, line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`
}

function refuseOtherForms(select: SyntaxNode): void {
  let leaf = select
  while (isNode(leaf['larg'])) leaf = leaf['larg']
  if (leaf['valuesLists'] !== undefined)
    throw notSelect('VALUES is not allowed as a statement: write SELECT * FROM (VALUES …) AS v.')
  const targets: readonly unknown[] = Array.isArray(leaf['targetList']) ? leaf['targetList'] : []
  // The grammar makes TABLE a SELECT *, whose star is nowhere in the text.
  if (nodeOf(targets[0], 'ResTarget')?.['location'] === -1)
    throw notSelect('TABLE is not allowed as a statement: write SELECT * FROM.')
}

/** The word that the statement begins with; the grammar's name where comments hide it. */
function kindOf(statement: unknown, sql: string): string {
  const [kind] = isNode(statement) ? Object.keys(statement) : []
  if (kind === undefined) return 'A text without a statement'
  const word = /^\s*([a-z]+)/i.exec(sql.replaceAll(/\/\*[^*]*\*\/|--[^\n]*/g, ' '))?.[1]
  return word?.toUpperCase() ?? `A statement of the kind ${kind.replace(/Stmt$/, '')}`
}

function notSelect(message: string): SqlRefusal {
  return new SqlRefusal('sql-not-select', message)
}

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
