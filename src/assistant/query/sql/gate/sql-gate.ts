import { SqlRefusal } from '../sql-errors.ts'
import { Grammar, GrammarError, GrammarOverflow, isNode, nodeOf } from './grammar.ts'
import type { SyntaxNode } from './grammar.ts'
import { withTables } from './known-objects.ts'
import type { KnownObjects, KnownTables } from './known-objects.ts'
import { SelectWalker } from './select-walker.ts'
import { StatementCost } from './statement-cost.ts'

/**
 * The first barrier around untrusted SQL: allows one SELECT that reads public data. Independent of
 * the others: the role's rights, the read-only transaction, the single-statement protocol, the
 * session reset.
 */
export class SqlGate {
  readonly #grammar: Grammar
  readonly #base: KnownObjects
  #known: KnownObjects

  private constructor(grammar: Grammar, known: KnownObjects) {
    this.#grammar = grammar
    this.#base = known
    this.#known = known
  }

  static async open(known: KnownObjects): Promise<SqlGate> {
    return new SqlGate(await Grammar.open(), known)
  }

  /** Replaces the tables of an earlier call. */
  setOwnTables(tables: KnownTables): void {
    this.#known = withTables(this.#base, tables)
  }

  /** Takes less than 100 ms of CPU. @param values of `$1`, `$2`, … @throws SqlRefusal */
  async check(sql: string, values: readonly string[] = []): Promise<void> {
    refuseBadText(sql)
    refuseForbiddenWords(sql)
    const select = await parseSelect(this.#grammar, sql)
    try {
      if (values.length > 0) fillIn(select, values)
      new SelectWalker(this.#known).check(select)
      new StatementCost(this.#known).check(select)
    } catch (error) {
      throw error instanceof RangeError ? tooDeep(error) : error
    }
  }
}

/** Parameters without a type are resolved like string literals, so they are judged as such. */
function fillIn(node: unknown, values: readonly string[]): void {
  if (typeof node !== 'object' || node === null) return
  for (const child of Object.values(node)) {
    const parameter = nodeOf(child, 'ParamRef')
    const value = parameter === undefined ? undefined : values[Number(parameter['number']) - 1]
    if (value === undefined || !isNode(child)) {
      fillIn(child, values)
      continue
    }
    Reflect.deleteProperty(child, 'ParamRef')
    Reflect.set(child, 'A_Const', { sval: { sval: value } })
  }
}

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
 * Anywhere, also in strings, comments and quoted names, as specified.
 * @throws SqlRefusal `sql-keyword`
 */
function refuseForbiddenWords(sql: string): void {
  const [word] = pattern.exec(sql) ?? []
  if (word === undefined) return
  throw new SqlRefusal(
    'sql-keyword',
    `The word ${word.toUpperCase()} is not allowed anywhere in a statement: statements are read-only. In a string, ` +
      `split it: '${word.slice(0, 2)}' || '${word.slice(2)}'.`,
  )
}

/**
 * Refuses VALUES and TABLE, which the grammar treats as forms of SELECT.
 * @throws SqlRefusal `sql-syntax`, `sql-not-select`; `sql-text` if nested too deeply
 */
export async function parseSelect(grammar: Grammar, sql: string): Promise<SyntaxNode> {
  const statements = await parse(grammar, sql)
  if (statements.length > 1) throw notSelect(`Got ${statements.length} statements. Send one at a time.`)
  const [first] = statements
  const statement = isNode(first) ? first['stmt'] : undefined
  const select = nodeOf(statement, 'SelectStmt')
  if (select === undefined) throw notSelect(`${kindOf(statement, sql)} is not allowed. Use SELECT, or WITH … SELECT.`)
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
    throw new SqlRefusal('sql-syntax', `Syntax error: ${error.message}${place}.`, { cause: error })
  }
}

function tooDeep(cause: unknown): SqlRefusal {
  return new SqlRefusal(
    'sql-text',
    'The statement is nested too deeply. Use fewer levels, or IN and = ANY for lists.',
    { cause },
  )
}

function placeOf(sql: string, position: number): string {
  if (position <= 0) return ''
  const before = Buffer.from(sql).subarray(0, position).toString()
  return `, line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`
}

function refuseOtherForms(select: SyntaxNode): void {
  let leaf = select
  while (isNode(leaf['larg'])) leaf = leaf['larg']
  if (leaf['valuesLists'] !== undefined)
    throw notSelect('VALUES is not allowed as a statement. Use SELECT * FROM (VALUES …) AS v.')
  const targets: readonly unknown[] = Array.isArray(leaf['targetList']) ? leaf['targetList'] : []
  // The grammar turns TABLE into a SELECT * without a star in the text.
  if (nodeOf(targets[0], 'ResTarget')?.['location'] === -1)
    throw notSelect('TABLE is not allowed as a statement. Use SELECT * FROM.')
}

/** The first word of the statement; the grammar's name if comments hide it. */
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

/** The parser takes 2 µs per token, and its tree 100 bytes of JSON. */
export const maxTokens = 10_500

/**
 * PostgreSQL's scanner takes time with the square of the length of a run of operator characters (4
 * s for 49,000). Runs of one character are harmless.
 */
const longOperator = /[-+*/<>=~!@#%^&|`?]{64,}/g
const ruler = /^\/?([-*=#~])\1*\/?$/

/**
 * Refuses texts that the gate and the server might read differently (NUL ends the text for the
 * parser; lone surrogates change in transit) and those that take too long to parse.
 * @throws SqlRefusal `sql-text`
 */
export function refuseBadText(sql: string): void {
  if (sql.length > maxStatementLength) {
    const size = `${sql.length} characters; the limit is ${maxStatementLength}`
    throw new SqlRefusal('sql-text', `The statement is too long: ${size}. Shorten it.`)
  }
  if (sql.trim() === '') throw new SqlRefusal('sql-text', 'The statement is empty. Send one SELECT.')
  if (sql.includes('\0')) throw new SqlRefusal('sql-text', 'The statement contains a NUL character. Remove it.')
  if (!sql.isWellFormed()) throw new SqlRefusal('sql-text', 'The statement contains a lone surrogate. Remove it.')
  const tokens = countTokens(sql)
  if (tokens > maxTokens) {
    const size = `${tokens} tokens; the limit is ${maxTokens}`
    throw new SqlRefusal('sql-text', `The statement is too long: ${size}. Shorten it.`)
  }
  for (const [signs] of sql.matchAll(longOperator)) {
    if (ruler.test(signs)) continue
    const row = `a run of ${signs.length} operator characters`
    throw new SqlRefusal('sql-text', `The statement contains ${row}. Insert spaces.`)
  }
}

/** Counts in strings and comments too. Quotes count with their content. */
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
