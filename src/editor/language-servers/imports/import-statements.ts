import type { SourceToken } from './source-tokens.ts'

/** A name that an import brings, and under which it is known in the source. */
export interface ImportedName {
  readonly name: string
  readonly alias: string | undefined
}

/** Where an import leads, and the place of the word or the string that says so. */
export interface ImportLocation {
  readonly kind: 'address' | 'string' | 'identifier'
  /** 16 hex digits of an address, what stands in the quotes, or the identifier. */
  readonly value: string
  readonly start: number
  readonly end: number
}

/** An import declaration. Places are in UTF-16 units. */
export interface ImportStatement {
  /** None in `import "A"`, `import A` and `import 0x1`. */
  readonly names: readonly ImportedName[]
  readonly location: ImportLocation
  readonly start: number
  readonly end: number
}

/**
 * The imports of a source that say where from. Understood are all spellings of the grammar, with line breaks and comments between any two words:
 *
 *     import A from 0x1      import A, B as C from 0x1      import "A"      import A from "./A.cdc"      import Crypto
 *
 * What is not finished, as while somebody types it, is none. Source: onflow/cadence `parser/declaration.go`.
 */
export function importStatements(tokens: readonly SourceToken[]): ImportStatement[] {
  const found: ImportStatement[] = []
  for (const [at, token] of tokens.entries()) {
    // The word is reserved: wherever it stands by itself, a declaration begins.
    if (token.kind !== 'word' || token.text !== 'import' || tokens[at - 1]?.text === '.') continue
    const statement = statementAt(tokens, at)
    if (statement !== undefined) found.push(statement)
  }
  return found
}

function statementAt(tokens: readonly SourceToken[], start: number): ImportStatement | undefined {
  const begin = tokens[start]
  const direct = tokens[start + 1]
  if (begin === undefined || direct === undefined) return undefined
  const literal = direct.kind === 'string' || addressOf(direct.text) !== undefined ? locationOf(direct) : undefined
  if (literal !== undefined) return { names: [], location: literal, start: begin.start, end: literal.end }
  const names: ImportedName[] = []
  let at = start + 1
  for (;;) {
    const token = tokens[at]
    if (token?.kind !== 'word' || !isName(token.text)) return undefined
    const hasAlias = tokens[at + 1]?.kind === 'word' && tokens[at + 1]?.text === 'as'
    const alias = hasAlias ? tokens[at + 2]?.text : undefined
    names.push({ name: token.text, alias })
    at += hasAlias ? 3 : 1
    if (tokens[at]?.text !== ',') break
    at++
  }
  const from = tokens[at]
  if (from?.kind !== 'word' || from.text !== 'from') {
    // `import Crypto`: the name is the place.
    return names.length === 1 && names[0]?.alias === undefined
      ? {
          names: [],
          location: { kind: 'identifier', value: direct.text, start: direct.start, end: direct.end },
          start: begin.start,
          end: direct.end,
        }
      : undefined
  }
  const place = tokens[at + 1]
  const location = place === undefined ? undefined : locationOf(place)
  return location === undefined ? undefined : { names, location, start: begin.start, end: location.end }
}

function locationOf({ kind, text, start, end }: SourceToken): ImportLocation | undefined {
  if (kind === 'string')
    return text.endsWith('"') && text.length > 1 ? { kind: 'string', value: text.slice(1, -1), start, end } : undefined
  if (kind === 'mark') return undefined
  const address = addressOf(text)
  if (address !== undefined) return { kind: 'address', value: address, start, end }
  return isName(text) ? { kind: 'identifier', value: text, start, end } : undefined
}

/** Not the reserved word: behind it the next declaration begins. */
function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && text !== 'import'
}

/** 16 hex digits of a literal such as `0x1`; undefined for what is no address. */
function addressOf(literal: string): string | undefined {
  const digits = /^0x([0-9a-fA-F][0-9a-fA-F_]*)$/
    .exec(literal)?.[1]
    ?.replaceAll('_', '')
    .replace(/^0+/, '')
    .toLowerCase()
  return digits === undefined || digits.length > 16 ? undefined : digits.padStart(16, '0')
}
