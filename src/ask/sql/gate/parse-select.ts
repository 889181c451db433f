import { SqlRefusal } from '../sql-refusal.ts'
import { type Grammar, GrammarError, GrammarOverflow } from './grammar.ts'
import { isNode, nodeOf, type SyntaxNode } from './syntax-tree.ts'

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
export function tooDeep(cause: unknown): SqlRefusal {
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
