import { readCadenceTokens } from '../../kit/code-tokens.ts'
import type { Token } from '../../kit/code-tokens.ts'
import { hasHiddenCharacters } from './readable.ts'

/** What `prepare` gets of an account that authorizes. */
interface PreparedAccount {
  readonly name: string
  /** As the script has it, with single spaces. */
  readonly type: string
  /** The entitlements of `&Account`; undefined where the type is another one, which may be anything. */
  readonly entitlements: readonly string[] | undefined
}

export interface ImportedContracts {
  readonly names: readonly string[]
  /** An address with 0x in lower case; a text as it stands for `import "FlowToken"`; undefined where nothing tells. */
  readonly from: string | undefined
}

interface ScriptFacts {
  /** In the order of the authorizers. Undefined: it cannot be told what the script gets. */
  readonly accounts: readonly PreparedAccount[] | undefined
  readonly imports: readonly ImportedContracts[]
  /** There are characters in it that are not seen, or make others look as if they were elsewhere. */
  readonly hasHiddenCharacters: boolean
}

/** Stands for a string in which there is code. */
const codeInString = '\u0001'

/** Facts about a transaction's script. Accepts any text, and states less where it is not sure. */
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

/**
 * Only what stands before the end of the parameters of `prepare` counts, and no string there may have code in it.
 * @param code without comments, and with nothing in its strings
 */
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
  // A script without `prepare` gets no account; one that is no transaction, or was cut off, says nothing.
  return isInside && depth === 0 && !/\bprepare\b/.test(code) ? [] : undefined
}

/** @param code from the opening bracket on */
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
/** Imports need nothing between them, and stand wherever declarations do. */
const importLine = new RegExp(
  `(?<![g-z_.])import(?:\\s+(?<list>${one}(?:\\s*,\\s*${one})*)` +
    `(?:\\s+from(?:\\s*(?<from>${place})|\\s+(?<name>\\w+)))?|\\s*(?<text>${place}))`,
  'gi',
)

function importsOf(tokens: readonly Token[]): readonly ImportedContracts[] {
  // Of texts those alone count that say where something is imported from.
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
    const told = (from ?? name ?? text)?.trim()
    const names = list
      .split(',')
      .map((part) => part.trim().replaceAll(/\s+/g, ' '))
      .filter((part) => part !== '')
    return { names, from: told !== undefined && /^0x/i.test(told) ? told.toLowerCase().replaceAll('_', '') : told }
  })
}
