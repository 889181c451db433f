import { type Token, tokensOf } from './tokens.ts'

/**
 * How one file refers to another: `value` loads it, `type` is erased before it runs, `dynamic`
 * loads it later, `url` names a file that runs elsewhere (`new URL('./worker.ts',
 * import.meta.url)`).
 */
export interface Import {
  readonly specifier: string
  readonly kind: 'value' | 'type' | 'dynamic' | 'url'
}

/** Every import, re-export, dynamic import and module URL in a TypeScript or JavaScript source. */
export function importsOf(source: string): Import[] {
  const tokens = tokensOf(source)
  const found: Import[] = []
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]?.kind !== 'word' || isMark(tokens[i - 1], '.')) continue
    const one = importAt(tokens, i)
    if (one !== undefined) found.push(one)
  }
  return found
}

/** The import statements of a source with JSX, whose text between tags cannot be tokenized. */
export function importsOfJsx(source: string): Import[] {
  const statement = /^(?:import|export)\b(\s+type\b)?[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm
  return [...source.matchAll(statement)].map((match) => ({
    specifier: match[2] ?? match[3] ?? '',
    kind: match[1] === undefined ? 'value' : 'type',
  }))
}

function importAt(tokens: readonly Token[], i: number): Import | undefined {
  const [word, next, second] = [tokens[i]?.text, tokens[i + 1], tokens[i + 2]]
  if (word === 'import' && next?.kind === 'string') return { specifier: next.text, kind: 'value' }
  if (word === 'import' && isMark(next, '(') && second?.kind === 'string') {
    return { specifier: second.text, kind: 'dynamic' }
  }
  if (word === 'URL' && isMark(next, '(') && second?.kind === 'string' && isWord(tokens[i + 4], 'import')) {
    return /\.[cm]?[jt]s$/.test(second.text) ? { specifier: second.text, kind: 'url' } : undefined
  }
  if (word !== 'import' && word !== 'export') return undefined

  const isType = isWord(next, 'type') && !isMark(second, ',') && !isWord(second, 'from')
  const clause = i + (isType ? 2 : 1)
  if (word === 'export' && !isMark(tokens[clause], '{') && !isMark(tokens[clause], '*')) return undefined
  const specifier = specifierAfterClause(tokens, clause)
  return specifier === undefined ? undefined : { specifier, kind: isType ? 'type' : 'value' }
}

/**
 * Skips `name`, `{ … }`, `* as name` and commas up to `from '…'`. Other tokens mean that it is not
 * an import.
 */
function specifierAfterClause(tokens: readonly Token[], clause: number): string | undefined {
  for (let i = clause; i < tokens.length; i++) {
    const token = tokens[i]
    if (isWord(token, 'from') && tokens[i + 1]?.kind === 'string') return tokens[i + 1]?.text
    if (isMark(token, '}') && !isWord(tokens[i + 1], 'from')) return undefined
    if (token?.kind !== 'word' && token?.kind !== 'string' && !'{},*'.includes(token?.text ?? ';')) return undefined
  }
  return undefined
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}
