import { endOfComment } from '../../../chain/script-tokens.ts'

/** A word (names, key words, numbers), a string literal, or a mark of one character; with its place in the source, in UTF-16 units. */
export interface SourceToken {
  readonly kind: 'word' | 'string' | 'mark'
  /** As it is written; a string with its quotes, and only up to its first template. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Line comments, openings of block comments and strings, words, any other character. */
const pattern = /\/\/[^\n\r\u2028\u2029]*|\/\*|"|[\p{L}\p{N}_]+|[^\s]/gu
const wordStart = /^[\p{L}\p{N}_]/u
/** What ends a stretch of a string: its quote, a template, its line. A backslash takes the next character with it. */
const stringMark = /\\\(|\\[^\n]?|["\n]/g

/**
 * The tokens of a Cadence source with their places, whether it parses or not. Nothing in a comment or a string is a token, but what stands in a
 * template, `"\(name)"`, is code again. Source: onflow/cadence `parser/lexer`.
 */
export function sourceTokens(code: string): SourceToken[] {
  const tokens: SourceToken[] = []
  /** For each template that is open: how many brackets are open in it. */
  const templates: number[] = []
  const readString = (start: number, from: number): number => {
    stringMark.lastIndex = from
    for (let mark = stringMark.exec(code); mark !== null; mark = stringMark.exec(code)) {
      if (mark[0] === '\\(') {
        templates.push(0)
        return add('string', start, stringMark.lastIndex)
      }
      if (mark[0] === '"') return add('string', start, stringMark.lastIndex)
      if (mark[0] === '\n') return add('mark', start, mark.index)
    }
    return add('mark', start, code.length)
  }
  const add = (kind: SourceToken['kind'], start: number, end: number): number => {
    tokens.push({ kind, text: code.slice(start, end), start, end })
    return end
  }
  pattern.lastIndex = 0
  for (let match = pattern.exec(code); match !== null; match = pattern.exec(code)) {
    const [text] = match
    const start = match.index
    const end = pattern.lastIndex
    if (text.startsWith('//')) continue
    const open = templates.at(-1)
    if (text === '/*') pattern.lastIndex = endOfComment(code, end)
    else if (text === '"') pattern.lastIndex = readString(start, end)
    else if (text === ')' && open === 0) {
      templates.pop()
      pattern.lastIndex = readString(start, end)
    } else {
      if (open !== undefined && (text === '(' || text === ')')) templates[templates.length - 1] = open + (text === '(' ? 1 : -1)
      add(wordStart.test(text) ? 'word' : 'mark', start, end)
    }
  }
  return tokens
}
