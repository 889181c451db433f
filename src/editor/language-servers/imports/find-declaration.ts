import type { TextRange } from '../import-workspace.ts'
import { sourceTokens } from './source-tokens.ts'
import type { SourceToken } from './source-tokens.ts'

const keywords: ReadonlySet<string> = new Set([
  'contract',
  'interface',
  'resource',
  'struct',
  'enum',
  'event',
  'attachment',
  'entitlement',
  'mapping',
  'fun',
  'let',
  'var',
  'case',
])

/**
 * Where a name is declared in a source, by the brackets that it stands in: `['FungibleToken', 'Vault']` is the Vault directly in FungibleToken.
 * @returns undefined where there is none
 */
export function findDeclaration(code: string, names: readonly string[]): TextRange | undefined {
  const tokens = sourceTokens(code)
  let from = 0
  let to = tokens.length
  let found: SourceToken | undefined
  for (const name of names) {
    const at = declaredAt(tokens, name, from, to)
    found = at === undefined ? undefined : tokens[at]
    if (at === undefined) return undefined
    from = tokens.findIndex(({ text }, index) => index > at && text === '{') + 1
    if (from === 0) from = tokens.length
    to = endOfBlock(tokens, from)
  }
  if (found === undefined) return undefined
  const before = code.slice(0, found.start).split('\n')
  const start = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
  return { start, end: { line: start.line, character: start.character + found.text.length } }
}

function declaredAt(tokens: readonly SourceToken[], name: string, from: number, to: number): number | undefined {
  for (let at = from, depth = 0; at < to; at++) {
    const { kind, text } = tokens[at] ?? { kind: 'mark', text: '' }
    if (text === '{' || text === '(') depth++
    else if (text === '}' || text === ')') depth--
    else if (depth === 0 && kind === 'word' && text === name && keywords.has(tokens[at - 1]?.text ?? '')) return at
  }
  return undefined
}

function endOfBlock(tokens: readonly SourceToken[], from: number): number {
  for (let at = from, depth = 0; at < tokens.length; at++) {
    const text = tokens[at]?.text
    if (text === '{') depth++
    if (text === '}' && --depth < 0) return at
  }
  return tokens.length
}

/** The name at a place of a line with what stands before its points: `FungibleToken.Vault` at Vault gives both. Empty where there is none. */
export function namesAt(line: string, character: number): string[] {
  for (const match of line.matchAll(/[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*/g)) {
    if (match.index > character || character > match.index + match[0].length) continue
    const rest = /^\w*/.exec(match[0].slice(character - match.index))?.[0].length ?? 0
    return match[0]
      .slice(0, character - match.index + rest)
      .split('.')
      .map((name) => name.trim())
  }
  return []
}
