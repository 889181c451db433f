/** A word (name, keyword, number), a text (string literal without quotes) or a mark. */
export interface ScriptToken {
  readonly kind: 'word' | 'text' | 'mark'
  readonly text: string
}

const pattern =
  /\/\/[^\n\r\u2028\u2029]*|\/\*|"(?:\\[^]|[^"\\])*"?|[\p{L}\p{N}_]+|<->|<-!?|[<>=!]=|&&|\|\||\?\?|\?\.|[^\s]/gu

const wordStart = /^[\p{L}\p{N}_]/u

/** Also of an invalid script. Skips comments, which nest. Source: onflow/cadence `parser/lexer`. */
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

export function isWord(token: ScriptToken | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}

export function isMark(token: ScriptToken | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text
}

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

/** False for an unterminated string. */
function isString(text: string): boolean {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
}
