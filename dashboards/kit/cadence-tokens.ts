/** What a piece of Cadence is, as far as colours tell. */
export type TokenKind = 'plain' | 'comment' | 'text' | 'keyword' | 'type' | 'number' | 'address' | 'call'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const keywords = new Set(
  `access account all as attach auth break case catch contract continue create default destroy do else emit
  entitlement enum event execute false finally for from fun guard if import in include init interface internal is let mapping mutable
  native nil post pre prepare priv pub remove repeat require resource return self set static struct switch to transaction
  true try typealias use var view where while with attachment before result`.split(/\s+/),
)

export function isCadenceKeyword(word: string): boolean {
  return keywords.has(word)
}

/**
 * In this order: a comment (of any depth, see below), a text, an address, a number, a word. Everything between is plain.
 * A word that begins with a capital letter is taken for a type; before an opening bracket a small one is a call.
 */
const pattern = /\/\/[^\n]*|\/\*|"(?:\\.|[^"\\\n])*"?|\b0x[0-9a-fA-F_]+\b|\b\d[\d_]*(?:\.\d[\d_]*)?\b|#?[A-Za-z_]\w*/g

/** Takes Cadence code apart for colouring; joined again, the pieces are the code. It takes anything for Cadence. */
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

/** Comments lie within comments in Cadence. */
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

/** The parameters of a transaction's script; none where it has none or cannot be read. */
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

/** The same by lines, without their ends: what goes on over several lines is in each of them. */
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
