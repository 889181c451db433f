import { readCadenceTokens } from '../../kit/cadence-tokens.ts'
import type { Parameter } from '../../kit/cadence-tokens.ts'

/** What a file of Cadence is, by its first declarations. */
export type CodeKind = 'script' | 'transaction' | 'contract' | 'other'

export interface CodeShape {
  readonly kind: CodeKind
  /** Of `main`, or of the transaction. */
  readonly parameters: readonly Parameter[]
}

/** Reads from code what it is and what it takes. Code that is being written gives what can be told of it. */
export function codeShape(code: string): CodeShape {
  const plain = readCadenceTokens(code).map(({ kind, text }) => (kind === 'comment' ? ' ' : kind === 'text' ? '""' : text)).join('')
  const depths = topLevel(plain)
  const find = (pattern: RegExp): RegExpExecArray | undefined => {
    for (const found of plain.matchAll(pattern)) if (depths[found.index] === 0) return found
    return undefined
  }
  const main = find(/\bfun\s+main\s*\(/g)
  if (main !== undefined) return { kind: 'script', parameters: readParameters(plain.slice(main.index + main[0].length)) }
  const transaction = find(/\btransaction\b\s*(\()?/g)
  if (transaction !== undefined) return { kind: 'transaction', parameters: transaction[1] === undefined ? [] : readParameters(plain.slice(transaction.index + transaction[0].length)) }
  return { kind: find(/\bcontract\b/g) === undefined ? 'other' : 'contract', parameters: [] }
}

/** How deep in braces each character is. */
function topLevel(code: string): Int32Array {
  const depths = new Int32Array(code.length)
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    if (code[at] === '}') depth = Math.max(0, depth - 1)
    depths[at] = depth
    if (code[at] === '{') depth++
  }
  return depths
}

function readParameters(code: string): readonly Parameter[] {
  const parts: string[] = ['']
  let depth = 0
  for (const char of code) {
    if (char === ')' && depth === 0) break
    if ('([{<'.includes(char)) depth++
    if (')]}>'.includes(char)) depth--
    if (char === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.flatMap((part) => {
    const [, name, type] = /^\s*(?:\w+\s+)?(\w+)\s*:\s*([\s\S]+?)\s*$/.exec(part) ?? []
    return name === undefined || type === undefined ? [] : [{ name, type: type.replaceAll(/\s+/g, ' ') }]
  })
}
