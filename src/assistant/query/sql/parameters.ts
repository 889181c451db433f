import { ApiError } from '../../../platform/errors.ts'

export const parameterTypes = ['text', 'number', 'date'] as const

export interface Parameter {
  readonly name: string
  readonly type: (typeof parameterTypes)[number]
  readonly value: string
}

export const maxParameters = 20
export const maxParameterCharacters = 1000
export const parameterName = /^[A-Za-z_]\w{0,39}$/

export interface BoundStatement {
  /** As long as the original, so that positions of errors fit. */
  readonly text: string
  readonly values: readonly string[]
}

/**
 * Replaces each `{{name}}` outside of strings, quoted names and comments by `$1`, `$2`, …; values
 * never become part of the statement.
 * @throws ApiError 400 `missing-parameter`, `too-many-parameters`
 */
export function bindParameters(sql: string, parameters: readonly Parameter[]): BoundStatement {
  if (!sql.includes('{{')) return { text: sql, values: [] }
  const given = new Map(parameters.map(({ name, value }) => [name, value]))
  const numbers = new Map<string, number>()
  const values: string[] = []
  let text = ''
  let done = 0
  for (const { name, from, to } of placeholders(sql)) {
    const value = given.get(name)
    if (value === undefined) {
      const detail = `Parameter "${name}" has no value. Send its name, type and value in "parameters".`
      throw new ApiError(400, 'missing-parameter', detail, { field: 'parameters' })
    }
    const number = numbers.get(name) ?? values.push(value)
    numbers.set(name, number)
    if (values.length > maxParameters) {
      const detail = `The statement has more than ${maxParameters} parameters. Use fewer.`
      throw new ApiError(400, 'too-many-parameters', detail, { field: 'sql' })
    }
    text += sql.slice(done, from) + ` $${number} `.padEnd(to - from)
    done = to
  }
  return { text: text + sql.slice(done), values }
}

interface Placeholder {
  readonly name: string
  readonly from: number
  readonly to: number
}

const placeholder = /\{\{\s*([A-Za-z_]\w{0,39})\s*\}\}/y
const dollarTag = /\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y

function* placeholders(sql: string): Generator<Placeholder> {
  for (let at = 0; at < sql.length;) {
    placeholder.lastIndex = at
    const [match, name] = placeholder.exec(sql) ?? []
    if (match !== undefined && name !== undefined) {
      yield { name, from: at, to: at + match.length }
      at += match.length
      continue
    }
    at = endOfToken(sql, at)
  }
}

/** A string, quoted name or comment as a whole, else one character. Unterminated ones end the statement. */
function endOfToken(sql: string, at: number): number {
  const after = (end: string, from: number): number => {
    const found = sql.indexOf(end, from)
    return found === -1 ? sql.length : found + end.length
  }
  const first = sql[at]
  if (first === "'") return isEscapeString(sql, at) ? endOfEscapeString(sql, at) : after("'", at + 1)
  if (first === '"') return after('"', at + 1)
  if (sql.startsWith('--', at)) return after('\n', at + 2)
  if (sql.startsWith('/*', at)) return endOfComment(sql, at)
  if (first !== '$' || /[\w\u0080-\uFFFF]/.test(sql[at - 1] ?? '')) return at + 1
  dollarTag.lastIndex = at
  const [tag] = dollarTag.exec(sql) ?? []
  return tag === undefined ? at + 1 : after(tag, at + tag.length)
}

function isEscapeString(sql: string, at: number): boolean {
  return /e/i.test(sql[at - 1] ?? '') && !/[\w$\u0080-\uFFFF]/.test(sql[at - 2] ?? '')
}

function endOfEscapeString(sql: string, at: number): number {
  for (let i = at + 1; i < sql.length; i++) {
    if (sql[i] === '\\') i++
    else if (sql[i] === "'") return i + 1
  }
  return sql.length
}

function endOfComment(sql: string, at: number): number {
  let depth = 0
  for (let i = at; i < sql.length; i++) {
    if (sql.startsWith('/*', i)) depth++
    else if (sql.startsWith('*/', i)) depth--
    else continue
    i++
    if (depth === 0) return i + 1
  }
  return sql.length
}
