/** One name that a script imports. */
export interface ScriptImport {
  readonly name: string
  /** 16 hex digits; undefined where the script names a place otherwise, or none: then the name has to be resolved. */
  readonly address: string | undefined
}

/** Comments (which nest) and strings are taken whole, so that nothing in them counts; the rest is words and marks. */
type Token = { readonly kind: 'word' | 'text' | 'mark'; readonly text: string }

/**
 * What a Cadence script imports, each name once, in the order of the text. Understood are all spellings of the grammar:
 *
 *     import A from 0x1        import A, B as C from 0x1        import A        import "A"        import A from "place"
 *
 * with line breaks and comments between any two words. `import 0x1`, which imports whatever is there, names nothing.
 * A script that does not parse gives what could be read. Source: onflow/cadence `parser/import.go` of the releases from
 * 0.12 on.
 */
export function scriptImports(script: string): readonly ScriptImport[] {
  if (!script.includes('import')) return []
  const tokens = tokensOf(script)
  const found = new Map<string, ScriptImport>()
  for (let i = 0; i < tokens.length; i++) {
    // The word is reserved, so wherever it stands by itself a declaration begins. Pragmas are no exception.
    if (!isWord(tokens[i], 'import')) continue
    for (const one of declarationAt(tokens, i + 1)) found.set(`${one.address ?? ''}.${one.name}`, one)
  }
  return [...found.values()]
}

function declarationAt(tokens: readonly Token[], start: number): ScriptImport[] {
  const first = tokens[start]
  if (first?.kind === 'text') return isName(first.text) ? [{ name: first.text, address: undefined }] : []
  const names: string[] = []
  let at = start
  for (;;) {
    const token = tokens[at]
    if (token?.kind !== 'word' || !isName(token.text)) break
    names.push(token.text)
    at++
    if (isWord(tokens[at], 'as')) at += 2
    if (tokens[at]?.text !== ',' || tokens[at]?.kind !== 'mark') break
    at++
  }
  const place = isWord(tokens[at], 'from') ? tokens[at + 1] : undefined
  const address = place?.kind === 'word' ? addressOf(place.text) : undefined
  if (place?.kind === 'word' && address === undefined) return []
  // Several names need a place; one may stand alone.
  return names.length > 1 && place === undefined ? [] : names.map((name) => ({ name, address }))
}

function tokensOf(script: string): Token[] {
  const tokens: Token[] = []
  const pattern = /\/\/[^\n\r\u2028\u2029]*|\/\*|"(?:\\[^]|[^"\\])*"?|[\p{L}\p{N}_]+|[^\s]/gu
  for (let match = pattern.exec(script); match !== null; match = pattern.exec(script)) {
    const [text] = match
    if (text.startsWith('//')) continue
    if (text === '/*') pattern.lastIndex = endOfComment(script, pattern.lastIndex)
    else if (text.startsWith('"')) tokens.push({ kind: 'text', text: text.slice(1, -1) })
    else tokens.push({ kind: /^[\p{L}\p{N}_]/u.test(text) ? 'word' : 'mark', text })
  }
  return tokens
}

/** Where the block comment ends whose opening mark ends at `start`. */
function endOfComment(script: string, start: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  for (let depth = 1; ; ) {
    const match = mark.exec(script)
    if (match === null) return script.length
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}

function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

function addressOf(literal: string): string | undefined {
  const digits = /^0x([0-9a-f_]+)$/i.exec(literal)?.[1]?.replaceAll('_', '').replace(/^0+/, '').toLowerCase()
  return digits === undefined || digits.length > 16 ? undefined : digits.padStart(16, '0')
}
