/**
 * A word (names, key words, numbers), a text (a string literal, without its quotes), or a mark (operators, brackets).
 * Comments and white space are none.
 */
export interface ScriptToken {
  readonly kind: 'word' | 'text' | 'mark'
  readonly text: string
}

/** Line comments, openings of block comments, strings, words, marks of several characters, any other character. */
const pattern =
  /\/\/[^\n\r\u2028\u2029]*|\/\*|"(?:\\[^]|[^"\\])*"?|[\p{L}\p{N}_]+|<->|<-!?|[<>=!]=|&&|\|\||\?\?|\?\.|[^\s]/gu

const wordStart = /^[\p{L}\p{N}_]/u

/**
 * The tokens of a Cadence script, also of one that does not parse. Strings and comments, which nest, are one token
 * each. Source: onflow/cadence `parser/lexer`.
 */
export function scriptTokens(script: string): ScriptToken[] {
  const tokens: ScriptToken[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(script); match !== null; match = pattern.exec(script)) {
    const [text] = match
    if (text.startsWith('//')) continue
    if (text === '/*') pattern.lastIndex = endOfComment(script, pattern.lastIndex)
    else if (isString(text)) tokens.push({ kind: 'text', text: text.slice(1, -1) })
    else tokens.push({ kind: wordStart.test(text) ? 'word' : 'mark', text })
  }
  return tokens
}

/** Whether a token is this word. */
export function isWord(token: ScriptToken | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}

/** Whether a token is this mark. */
export function isMark(token: ScriptToken | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text
}

/** Where the block comment ends whose opening mark ends at `start`; comments nest. */
export function endOfComment(script: string, start: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  for (let depth = 1; ;) {
    const match = mark.exec(script)
    if (match === null) return script.length
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
}

/** Not one that has no end. */
function isString(text: string): boolean {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
}
