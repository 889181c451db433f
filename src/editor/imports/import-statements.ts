import { endOfComment } from '../../flow/code/script-tokens.ts'

/** Offsets in UTF-16 units. */
export interface SourceToken {
  readonly kind: 'word' | 'string' | 'mark'
  /** A string includes quotes and ends at its first template. */
  readonly text: string
  readonly start: number
  readonly end: number
}

const pattern = /\/\/[^\n\r\u2028\u2029]*|\/\*|"|[\p{L}\p{N}_]+|[^\s]/gu
const wordStart = /^[\p{L}\p{N}_]/u
const rarePattern = /\/\/[^\n\r\u2028\u2029]*|\/\*|[".]|import|contract/g
const [wordBefore, wordBehind] = [/[\p{L}\p{N}_]$/u, wordStart]
/** Quote, template, line end or escaped character. */
const stringMark = /\\\(|\\[^\n]?|["\n]/g

/**
 * Comments and strings have none, except templates, `"\(name)"`. Source: onflow/cadence
 * `parser/lexer`.
 */
export function sourceTokens(code: string): SourceToken[] {
  return tokensOf(code, false)
}

/**
 * Several times as fast as `sourceTokens`: only imports and contract declarations (and possibly
 * others).
 */
export function declaringTokens(code: string): SourceToken[] {
  return tokensOf(code, true)
}

function tokensOf(code: string, isSparse: boolean): SourceToken[] {
  const tokens: SourceToken[] = []
  /** Which tokens must not be skipped: the next one, or up to the end of a declaration. */
  let needed: 'none' | 'next' | 'declaration' = 'none'
  /** Open brackets of each open template. */
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
    const continues = needed === 'declaration' && (kind !== 'mark' || text === ',' || tokens.at(-1)?.text === 'as')
    if (continues || (kind === 'word' && (text === 'import' || text === 'contract'))) needed = 'declaration'
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

interface ImportedName {
  readonly name: string
  readonly alias: string | undefined
}

export interface ImportLocation {
  readonly kind: 'address' | 'string' | 'identifier'
  /** 16 hex digits of an address, the quoted text, or the identifier. */
  readonly value: string
  readonly start: number
  readonly end: number
}

export interface ImportStatement {
  /** None in `import "A"`, `import A` and `import 0x1`. */
  readonly names: readonly ImportedName[]
  readonly location: ImportLocation
  readonly start: number
  readonly end: number
}

/**
 * All spellings of the grammar:
 *
 *     import A from 0x1      import A, B as C from 0x1      import "A"      import A from "./A.cdc"      import Crypto
 *
 * Unfinished imports are ignored. Source: onflow/cadence `parser/declaration.go`.
 */
export function importStatements(tokens: readonly SourceToken[]): ImportStatement[] {
  const found: ImportStatement[] = []
  for (const [at, token] of tokens.entries()) {
    // The keyword is reserved, so it always starts a declaration.
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
    // The name is the location.
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

/** `import` starts the next declaration. */
function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && text !== 'import'
}

/** 16 hex digits. */
function addressOf(literal: string): string | undefined {
  const digits = /^0x([0-9a-fA-F][0-9a-fA-F_]*)$/
    .exec(literal)?.[1]
    ?.replaceAll('_', '')
    .replace(/^0+/, '')
    .toLowerCase()
  return digits === undefined || digits.length > 16 ? undefined : digits.padStart(16, '0')
}

export interface DocumentImports {
  readonly text: string
  readonly statements: readonly ImportStatement[]
  /** Contracts and contract interfaces. */
  readonly contracts: readonly string[]
}

/** All documents of a connection are read at each change. */
const [maxStatements, maxNames, maxContracts] = [300, 500, 300]

/** Works for invalid sources too. */
export function readDocument(text: string): DocumentImports {
  return { text, ...declarationsIn(declaringTokens(text)) }
}

export function declarationsIn(tokens: readonly SourceToken[]): Omit<DocumentImports, 'text'> {
  const contracts = tokens.flatMap(({ kind, text: word }, at) => {
    if (kind !== 'word' || word !== 'contract') return []
    const next = tokens[at + 1]
    const name = next?.text === 'interface' ? tokens[at + 2] : next
    return name?.kind === 'word' ? [name.text] : []
  })
  return { statements: firstOf(importStatements(tokens)), contracts: [...new Set(contracts)].slice(0, maxContracts) }
}

/** Imports beyond the limit are not resolved. */
export function firstOf(statements: readonly ImportStatement[]): ImportStatement[] {
  let names = 0
  const within = statements.slice(0, maxStatements)
  const end = within.findIndex((statement) => (names += statement.names.length) > maxNames)
  return end < 0 ? within : within.slice(0, end)
}
