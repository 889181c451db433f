import type { Token, TokenKind } from './cadence-tokens.ts'

const keywords = new Set(
  `all and any array as asc between both by case cast collate cross current_date current_timestamp desc distinct else end escape except exists extract false
  fetch filter first following for from full group grouping having ilike in inner intersect interval is isnull join lateral leading left like limit
  materialized natural not notnull null nulls offset on only or order ordinality outer over partition preceding range recursive returning right row rows
  select sets similar some symmetric table tablesample then ties to trailing true unbounded union unnest using values when where window with within without`.split(
    /\s+/,
  ),
)

const types = new Set(
  `bigint bool boolean bytea char character date decimal double float int int2 int4 int8 integer json jsonb numeric oid precision real smallint text time timestamp timestamptz
  uuid varchar varying zone`.split(/\s+/),
)

/** In this order: a comment, a text of any kind, a name in quotes, a number, a word. Everything between is plain. */
const pattern =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|[eEbBxXnN]?'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b|[\p{L}_][\p{L}\p{N}_$]*/gu

/** Takes SQL of PostgreSQL apart for colouring; joined again, the pieces are the statement. It takes anything for SQL. */
export function readSqlTokens(sql: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const match of sql.matchAll(pattern)) {
    const [text] = match
    if (match.index > end) tokens.push({ kind: 'plain', text: sql.slice(end, match.index) })
    end = match.index + text.length
    tokens.push({ kind: kindOf(text, sql, end), text })
  }
  if (end < sql.length) tokens.push({ kind: 'plain', text: sql.slice(end) })
  return tokens
}

function kindOf(text: string, sql: string, end: number): TokenKind {
  if (text.startsWith('--') || text.startsWith('/*')) return 'comment'
  if (text.startsWith('"')) return 'plain'
  if (text.startsWith('$') || text.includes("'")) return 'text'
  if (/^\d/.test(text)) return 'number'
  const word = text.toLowerCase()
  if (keywords.has(word)) return 'keyword'
  if (types.has(word)) return 'type'
  return /^\s*\(/.test(sql.slice(end, end + 3)) ? 'call' : 'plain'
}
