type TokenKind = 'plain' | 'comment' | 'text' | 'keyword' | 'type' | 'number' | 'address' | 'call'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const keywords = new Set(
  `access account all as attach auth break case catch contract continue create default destroy do else emit
  entitlement enum event execute false finally for from fun guard if import in include init interface internal is
  let mapping mutable native nil post pre prepare priv pub remove repeat require resource return self set static
  struct switch to transaction true try typealias use var view where while with attachment before result`.split(/\s+/),
)

export function isCadenceKeyword(word: string): boolean {
  return keywords.has(word)
}

/**
 * Comment, string, address, number, word. A capitalized word is a type; another word before `(` or
 * `<` is a call.
 */
const pattern = /\/\/[^\n]*|\/\*|"(?:\\.|[^"\\\n])*"?|\b0x[0-9a-fA-F_]+\b|\b\d[\d_]*(?:\.\d[\d_]*)?\b|#?[A-Za-z_]\w*/g

/** Joined, the tokens are the input. Accepts any text. */
export function readCadenceTokens(code: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  const add = (kind: TokenKind, from: number, to: number): void => {
    if (from > end) tokens.push({ kind: 'plain', text: code.slice(end, from) })
    tokens.push({ kind, text: code.slice(from, to) })
    end = to
    pattern.lastIndex = to
  }
  pattern.lastIndex = 0
  for (let match = pattern.exec(code); match !== null; match = pattern.exec(code)) {
    const [text] = match
    const from = match.index
    if (text === '/*') add('comment', from, endOfComment(code, from))
    else add(kindOf(text, code, from + text.length), from, from + text.length)
  }
  if (end < code.length) tokens.push({ kind: 'plain', text: code.slice(end) })
  return tokens
}

function kindOf(text: string, code: string, end: number): TokenKind {
  if (text.startsWith('//')) return 'comment'
  if (text.startsWith('"')) return 'text'
  if (text.startsWith('0x')) return 'address'
  if (/^\d/.test(text)) return 'number'
  if (text.startsWith('#') || keywords.has(text)) return 'keyword'
  if (/^[A-Z]/.test(text)) return 'type'
  return code[end] === '(' || code[end] === '<' ? 'call' : 'plain'
}

/** Cadence comments nest. */
function endOfComment(code: string, from: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = from
  let depth = 0
  for (let mark = marks.exec(code); mark !== null; mark = marks.exec(code)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.index + 2
  }
  return code.length
}

export interface Parameter {
  readonly name: string
  readonly type: string
}

export function scriptParameters(code: string): Parameter[] {
  const plain = readCadenceTokens(code)
    .map(({ kind, text }) => (kind === 'comment' ? '' : text))
    .join('')
  const start = /\btransaction\s*\(/.exec(plain)
  if (start === null) return []
  const parts: string[] = ['']
  let depth = 0
  for (const char of plain.slice(start.index + start[0].length)) {
    if (char === ')' && depth === 0) break
    if ('([{<'.includes(char)) depth++
    if (')]}>'.includes(char)) depth--
    if (char === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.flatMap((part) => {
    const [, name, type] = /^\s*(?:\w+\s+)?(\w+)\s*:\s*([\s\S]+?)\s*$/.exec(part) ?? []
    return name === undefined || type === undefined ? [] : [{ name, type }]
  })
}

export function readCadenceLines(code: string): Token[][] {
  const lines: Token[][] = [[]]
  for (const { kind, text } of readCadenceTokens(code)) {
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ kind, text: part })
    }
  }
  return lines
}

const sqlKeywords = new Set(
  `all and any array as asc between both by case cast collate cross current_date current_timestamp desc distinct
  else end escape except exists extract false fetch filter first following for from full group grouping having
  ilike in inner intersect interval is isnull join lateral leading left like limit materialized natural not
  notnull null nulls offset on only or order ordinality outer over partition preceding range recursive returning
  right row rows select sets similar some symmetric table tablesample then ties to trailing true unbounded union
  unnest using values when where window with within without`.split(/\s+/),
)

const types = new Set(
  `bigint bool boolean bytea char character date decimal double float int int2 int4 int8 integer json jsonb numeric
  oid precision real smallint text time timestamp timestamptz uuid varchar varying zone`.split(/\s+/),
)

/** Comment, string, quoted name, number, word. */
const sqlPattern = new RegExp(
  [
    /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
    /\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|[eEbBxXnN]?'(?:[^']|'')*(?:'|$)/,
    /"(?:[^"]|"")*(?:"|$)/,
    /\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b/,
    /[\p{L}_][\p{L}\p{N}_$]*/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

/** Joined, the tokens are the input. Accepts any text. */
export function readSqlTokens(sql: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const match of sql.matchAll(sqlPattern)) {
    const [text] = match
    if (match.index > end) tokens.push({ kind: 'plain', text: sql.slice(end, match.index) })
    end = match.index + text.length
    tokens.push({ kind: sqlKindOf(text, sql, end), text })
  }
  if (end < sql.length) tokens.push({ kind: 'plain', text: sql.slice(end) })
  return tokens
}

function sqlKindOf(text: string, sql: string, end: number): TokenKind {
  if (text.startsWith('--') || text.startsWith('/*')) return 'comment'
  if (text.startsWith('"')) return 'plain'
  if (text.startsWith('$') || text.includes("'")) return 'text'
  if (/^\d/.test(text)) return 'number'
  const word = text.toLowerCase()
  if (sqlKeywords.has(word)) return 'keyword'
  if (types.has(word)) return 'type'
  return /^\s*\(/.test(sql.slice(end, end + 3)) ? 'call' : 'plain'
}
