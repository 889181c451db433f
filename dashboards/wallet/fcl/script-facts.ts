import { readCadenceTokens } from '../../kit/code-tokens.ts'
import type { Token } from '../../kit/code-tokens.ts'
import { hasHiddenCharacters } from './readable.ts'

interface PreparedAccount {
  readonly name: string
  readonly type: string
  /** Entitlements of `&Account`; undefined for other types, which may allow anything. */
  readonly entitlements: readonly string[] | undefined
}

export interface ImportedContracts {
  readonly names: readonly string[]
  /** Lower-case 0x address, or the text of `import "FlowToken"`; undefined if unknown. */
  readonly from: string | undefined
}

interface ScriptFacts {
  /** In the order of the authorizers; undefined if unknown. */
  readonly accounts: readonly PreparedAccount[] | undefined
  readonly imports: readonly ImportedContracts[]
  readonly hasHiddenCharacters: boolean
}

/** Placeholder for a string with an embedded expression. */
const codeInString = '\u0001'

/** Accepts any text, and states less where it is not sure. */
export function readScript(code: string): ScriptFacts {
  const tokens = readCadenceTokens(code)
  const plain = tokens
    .map(({ kind, text }) =>
      kind === 'comment' ? ' ' : kind !== 'text' ? text : text.includes('\\(') ? codeInString : '""',
    )
    .join('')
  return {
    accounts: accountsOf(plain),
    imports: importsOf(tokens),
    hasHiddenCharacters: hasHiddenCharacters(code.replaceAll('\r\n', '\n')),
  }
}

/** @param code without comments, with strings emptied */
function accountsOf(code: string): readonly PreparedAccount[] | undefined {
  let depth = 0
  let isInside = false
  let before = ''
  const piece = new RegExp(`[A-Za-z_]\\w*|[({[\\])}]|${codeInString}`, 'g')
  for (const { 0: text, index } of code.matchAll(piece)) {
    if (text === codeInString) return undefined
    if (depth === 0 && text === 'transaction') {
      if (isInside) return undefined
      isInside = true
    }
    const after = index + text.length
    if (
      isInside &&
      depth === 1 &&
      text === 'prepare' &&
      before !== 'fun' &&
      /^\s*\(/.test(code.slice(after, after + 100))
    )
      return parametersOf(code.slice(after))
    if ('({['.includes(text)) depth++
    if (')}]'.includes(text)) depth--
    before = text
  }
  // A script without `prepare` gets no account; other texts are inconclusive.
  return isInside && depth === 0 && !/\bprepare\b/.test(code) ? [] : undefined
}

/** @param code starts at the opening parenthesis */
function parametersOf(code: string): readonly PreparedAccount[] | undefined {
  const parts: string[] = ['']
  let depth = 1
  for (const char of code.slice(code.indexOf('(') + 1)) {
    if ('([{<'.includes(char)) depth++
    if (')]}>'.includes(char)) depth--
    if (char === '"' || char === codeInString) return undefined
    if (depth === 0) return named(parts)
    if (char === ',' && depth === 1) parts.push('')
    else parts[parts.length - 1] += char
  }
  return undefined
}

function named(parts: readonly string[]): readonly PreparedAccount[] | undefined {
  const filled = parts.filter((part, at) => at < parts.length - 1 || part.trim() !== '')
  const read = filled.flatMap((part): readonly PreparedAccount[] => {
    const [, name, type] = /^(?:\w+\s+)?(\w+)\s*:\s*([\s\S]+)$/.exec(part.trim()) ?? []
    if (name === undefined || type === undefined) return []
    const account = /^(?:auth\s*\(([\s\w.,|]+)\)\s*)?&\s*Account$/.exec(type)
    const entitlements =
      account === null
        ? undefined
        : (account[1] ?? '')
            .split(/[,|]/)
            .map((one) => one.trim().replaceAll(/\s+/g, ' '))
            .filter((one) => one !== '')
    return [{ name, type: type.replaceAll(/\s+/g, ' '), entitlements }]
  })
  return read.length === filled.length ? read : undefined
}

const one = /[a-z_]\w*(?:\s+as\s+\w+)?/.source
const place = /\s0x[0-9a-f_]+|"[^"\n]*"/.source
const importLine = new RegExp(
  `(?<![g-z_.])import(?:\\s+(?<list>${one}(?:\\s*,\\s*${one})*)` +
    `(?:\\s+from(?:\\s*(?<from>${place})|\\s+(?<name>\\w+)))?|\\s*(?<text>${place}))`,
  'gi',
)

function importsOf(tokens: readonly Token[]): readonly ImportedContracts[] {
  let before = ''
  const pieces = tokens.map(({ kind, text }) => {
    if (kind === 'comment') return ' '
    const isPlace = /(?:import|from)$/i.test(before)
    if (text.trim() !== '') before = text
    return kind !== 'text' || isPlace ? text : '""'
  })
  return Array.from(pieces.join('').matchAll(importLine), ({ groups }) => {
    const {
      list = '',
      from,
      name,
      text,
    } = (groups ?? {}) as Readonly<Partial<Record<'list' | 'from' | 'name' | 'text', string>>>
    const location = (from ?? name ?? text)?.trim()
    const names = list
      .split(',')
      .map((part) => part.trim().replaceAll(/\s+/g, ' '))
      .filter((part) => part !== '')
    return {
      names,
      from: location !== undefined && /^0x/i.test(location) ? location.toLowerCase().replaceAll('_', '') : location,
    }
  })
}
