/**
 * As much of a TypeScript scanner as finding imports needs: it knows where comments, strings, templates and regular
 * expressions begin and end, so that an import written inside one of them is not taken for an import. (TypeScript 7's
 * package offers its own only under names it calls unstable.)
 */
export interface Token {
  readonly kind: 'word' | 'string' | 'template' | 'regexp' | 'mark'
  /** The content of a string without its quotes; else the text itself. */
  readonly text: string
}

/** After these words a slash begins a regular expression; after any other it divides. */
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
  /** From a backtick, or from the brace that ends a substitution, to the next substitution or the end. */
  template: /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y,
}

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  /** One entry per open brace: whether it began a template's substitution. */
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
