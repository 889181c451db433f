import { setFlagsFromString } from 'node:v8'
import { hasSqlDetails, loadModule, parseSync } from 'libpg-query'
import { SqlRefusal } from '../sql-refusal.ts'
import { isNode, nodeOf, type SyntaxNode } from './syntax-tree.ts'

/**
 * How V8 is to compile the grammar: once and quickly. Its optimizing compiler takes 550 MB for the largest of the functions, a moment after
 * the first statement, and saves 0.03 ms a statement; in a container of 512 MB that is the end of the process.
 */
const compiledQuickly = { 'liftoff-only': true, 'wasm-tier-up': false, 'wasm-dynamic-tiering': false } as const

/** Loads PostgreSQL's grammar (1.7 MB, 20 ms), once for the process; before `parseSelect`. What is loaded meanwhile is compiled as it is. */
export async function loadGrammar(): Promise<void> {
  for (const [flag, isOn] of Object.entries(compiledQuickly)) setFlag(flag, isOn)
  try {
    await loadModule()
    // Functions are compiled when they are first called.
    parseSync('SELECT 1')
  } finally {
    for (const [flag, isOn] of Object.entries(compiledQuickly)) setFlag(flag, !isOn)
  }
}

function setFlag(name: string, isOn: boolean): void {
  setFlagsFromString(isOn ? `--${name}` : `--no-${name}`)
}

/**
 * The tree of a text that is one SELECT, or WITH … SELECT. VALUES and TABLE, which the grammar takes for forms of it, are not at the
 * beginning: the specification says SELECT.
 * @throws SqlRefusal `sql-syntax`, `sql-not-select`; `sql-text` when it is nested too deeply
 */
export function parseSelect(sql: string): SyntaxNode {
  const statements = parse(sql)
  if (statements.length > 1) throw notSelect(`There are ${statements.length} statements: send one at a time.`)
  const [first] = statements
  const statement = isNode(first) ? first['stmt'] : undefined
  const select = nodeOf(statement, 'SelectStmt')
  if (select === undefined) throw notSelect(`${kindOf(statement, sql)} is not allowed: write a SELECT, or WITH … SELECT.`)
  refuseOtherForms(select)
  return select
}

function parse(sql: string): readonly unknown[] {
  try {
    return parseSync(sql).stmts ?? []
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(error)
    if (!hasSqlDetails(error)) throw error
    const { message, cursorPosition } = error.sqlDetails ?? { message: error.message, cursorPosition: 0 }
    throw new SqlRefusal('sql-syntax', `The statement cannot be parsed: ${message}${placeOf(sql, cursorPosition)}.`, { cause: error })
  }
}

/** A statement that the stack of the process does not bear. */
export function tooDeep(cause: unknown): SqlRefusal {
  return new SqlRefusal('sql-text', 'The statement is nested too deeply: write it with fewer levels, or lists with IN and = ANY.', { cause })
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
  if (leaf['valuesLists'] !== undefined) throw notSelect('VALUES is not allowed as a statement: write SELECT * FROM (VALUES …) AS v.')
  const targets: readonly unknown[] = Array.isArray(leaf['targetList']) ? leaf['targetList'] : []
  // The grammar makes TABLE a SELECT *, whose star is nowhere in the text.
  if (nodeOf(targets[0], 'ResTarget')?.['location'] === -1) throw notSelect('TABLE is not allowed as a statement: write SELECT * FROM.')
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
