/**
 * A minimal TypeScript scanner for finding imports: it skips comments, strings, templates and
 * regular expressions, so that an import inside them is not reported. (TypeScript 7 exports its
 * scanner only under unstable names.)
 */
export interface Token {
  readonly kind: 'word' | 'string' | 'template' | 'regexp' | 'mark'
  /** The content of a string without quotes. Otherwise the text. */
  readonly text: string
}

/** After these words a slash begins a regular expression. After others it divides. */
const wordsBeforeRegexp = new Set([
  'await',
  'case',
  'delete',
  'do',
  'else',
  'in',
  'instanceof',
  'new',
  'of',
  'return',
  'throw',
  'typeof',
  'void',
  'yield',
])

const patterns = {
  space: /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  word: /[\p{ID_Start}_$#\d][\p{ID_Continue}$]*/uy,
  string: /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y,
  regexp: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y,
  /**
   * From a backtick, or the closing brace of a substitution, to the next substitution or the end.
   */
  template: /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y,
}

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  /** One entry per open brace: whether it began a template substitution. */
  const braces: boolean[] = []
  let position = 0

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position
    const text = pattern.exec(source)?.[0]
    if (text !== undefined) position += text.length
    return text
  }
  const takeTemplate = (): void => {
    const text = take(patterns.template) ?? source.slice(position++)
    tokens.push({ kind: 'template', text })
    if (text.endsWith('${')) braces.push(true)
  }

  while (position < source.length) {
    if (take(patterns.space) !== undefined) continue
    const char = source.charAt(position)
    const word = take(patterns.word)
    if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (char === '`') takeTemplate()
    else if (char === '}' && braces.pop() === true) takeTemplate()
    else {
      const string = take(patterns.string)
      const regexp = char === '/' && regexpMayFollow(tokens.at(-1)) ? take(patterns.regexp) : undefined
      if (string !== undefined) tokens.push({ kind: 'string', text: string.slice(1, -1) })
      else if (regexp !== undefined) tokens.push({ kind: 'regexp', text: regexp })
      else {
        if (char === '{') braces.push(false)
        tokens.push({ kind: 'mark', text: char })
        position++
      }
    }
  }
  return tokens
}

function regexpMayFollow(previous: Token | undefined): boolean {
  if (previous === undefined) return true
  if (previous.kind === 'word') return wordsBeforeRegexp.has(previous.text)
  return previous.kind === 'mark' && !')]}'.includes(previous.text)
}
