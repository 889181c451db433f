import { endOfComment } from '../../../flow/script-tokens.ts'

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
/** The same where only imports and contracts are looked for: all else is skipped. */
const rarePattern = /\/\/[^\n\r\u2028\u2029]*|\/\*|[".]|import|contract/g
const [wordBefore, wordBehind] = [/[\p{L}\p{N}_]$/u, wordStart]
/** What ends a stretch of a string: its quote, a template, its line. A backslash takes the next character with it. */
const stringMark = /\\\(|\\[^\n]?|["\n]/g

/**
 * The tokens of a Cadence source with their places, whether it parses or not. Nothing in a comment or a string is a token, but what stands in a
 * template, `"\(name)"`, is code again. Source: onflow/cadence `parser/lexer`.
 */
export function sourceTokens(code: string): SourceToken[] {
  return tokensOf(code, false)
}

/**
 * Those of `sourceTokens` that tell what a source imports and which contracts it declares, several times as fast: `import` and `contract` with what
 * follows, up to the mark that ends it, and any `.` with the token behind it. Others may be among them.
 */
export function declaringTokens(code: string): SourceToken[] {
  return tokensOf(code, true)
}

function tokensOf(code: string, isSparse: boolean): SourceToken[] {
  const tokens: SourceToken[] = []
  /** Up to where no token may be skipped: the next one, or the mark that ends a declaration. */
  let needed: 'none' | 'next' | 'declaration' = 'none'
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
    const text = code.slice(start, end)
    // The mark behind `as` stands for a name.
    const goesOn = needed === 'declaration' && (kind !== 'mark' || text === ',' || tokens.at(-1)?.text === 'as')
    if (goesOn || (kind === 'word' && (text === 'import' || text === 'contract'))) needed = 'declaration'
    else needed = text === '.' ? 'next' : 'none'
    tokens.push({ kind, text, start, end })
    return end
  }
  let at = 0
  for (;;) {
    const skips = isSparse && needed === 'none' && templates.length === 0
    const next = skips ? rarePattern : pattern
    next.lastIndex = at
    const match = next.exec(code)
    if (match === null) return tokens
    const [text] = match
    const start = match.index
    const end = (at = next.lastIndex)
    if (text.startsWith('//')) continue
    const open = templates.at(-1)
    if (text === '/*') at = endOfComment(code, end)
    else if (text === '"') at = readString(start, end)
    else if (text === ')' && open === 0) {
      templates.pop()
      at = readString(start, end)
    } else {
      if (skips && text !== '.' && isPartOfWord(code, start, end)) continue
      if (open !== undefined && (text === '(' || text === ')'))
        templates[templates.length - 1] = open + (text === '(' ? 1 : -1)
      add(wordStart.test(text) ? 'word' : 'mark', start, end)
    }
  }
}

function isPartOfWord(code: string, start: number, end: number): boolean {
  return wordBefore.test(code.slice(Math.max(0, start - 2), start)) || wordBehind.test(code.slice(end, end + 2))
}
