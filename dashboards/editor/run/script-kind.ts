import { readCadenceTokens } from '../../kit/code-tokens.ts'
import type { Parameter } from '../../kit/code-tokens.ts'

export type CodeShape = { readonly parameters: readonly Parameter[] } & (
  | { readonly kind: 'script' | 'other' }
  /** `signers`: accounts of `prepare`. */
  | { readonly kind: 'transaction'; readonly signers: number }
  /** With the parameters of its `init`. Interfaces have none. */
  | { readonly kind: 'contract'; readonly name: string }
)

export function codeShape(code: string): CodeShape {
  const plain = readCadenceTokens(code)
    .map(({ kind, text }) => (kind === 'comment' ? ' ' : kind === 'text' ? '""' : text))
    .join('')
  const depths = topLevel(plain)
  const find = (pattern: RegExp, { from = 0, depth = 0 } = {}): RegExpExecArray | undefined => {
    for (const found of plain.matchAll(pattern)) if (found.index >= from && depths[found.index] === depth) return found
    return undefined
  }
  const after = (found: RegExpExecArray): readonly Parameter[] =>
    readParameters(plain.slice(found.index + found[0].length))
  const main = find(/\bfun\s+main\s*\(/g)
  if (main !== undefined) return { kind: 'script', parameters: after(main) }
  const transaction = find(/\btransaction\b\s*(\()?/g)
  if (transaction !== undefined) {
    const prepare = find(/\bprepare\s*\(/g, { from: transaction.index, depth: 1 })
    return {
      kind: 'transaction',
      parameters: transaction[1] === undefined ? [] : after(transaction),
      signers: prepare === undefined ? 0 : after(prepare).length,
    }
  }
  const contract = find(/\bcontract\s+(?:interface\s+)?(\w+)/g)
  if (contract === undefined) return { kind: 'other', parameters: [] }
  const init = find(/\binit\s*\(/g, { from: contract.index, depth: 1 })
  return { kind: 'contract', name: contract[1] ?? '', parameters: init === undefined ? [] : after(init) }
}

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

const maxParameters = 255

function readParameters(code: string): readonly Parameter[] {
  const parameters: Parameter[] = []
  let [depth, from] = [0, 0]
  const end = (at: number): void => {
    const parameter = readParameter(code.slice(from, at))
    if (parameter !== undefined) parameters.push(parameter)
    from = at + 1
  }
  for (let at = 0; at < code.length && parameters.length < maxParameters; at++) {
    const char = code[at] ?? ''
    if (char === ')' && depth === 0) {
      end(at)
      return parameters
    }
    if ('([{<'.includes(char)) depth++
    if (')]}>'.includes(char)) depth--
    if (char === ',' && depth === 0) end(at)
  }
  if (parameters.length < maxParameters) end(code.length)
  return parameters
}

/** Split at the colon first: one pattern would backtrack on long blanks. */
function readParameter(part: string): Parameter | undefined {
  const colon = part.indexOf(':')
  if (colon < 0) return undefined
  const names = part.slice(0, colon).trim().split(/\s+/)
  const [name, type] = [
    names.at(-1) ?? '',
    part
      .slice(colon + 1)
      .trim()
      .replaceAll(/\s+/g, ' '),
  ]
  return names.length <= 2 && names.every((one) => /^\w+$/.test(one)) && type !== '' ? { name, type } : undefined
}

type ErrorPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `line` and `column` count from 1. */
  | { readonly kind: 'place'; readonly text: string; readonly line: number; readonly column: number }

/** Nodes name scripts by the hash of their text, contracts by address and name. */
const place = /(-->\s+)([0-9a-f]{64}):(\d{1,7}):(\d{1,7})/g

/** Locations such as ` --> 9fe9….:3:9`; columns count from 0. */
export function errorParts(message: string): readonly ErrorPart[] {
  const parts: ErrorPart[] = []
  let end = 0
  for (const found of message.matchAll(place)) {
    const [whole, arrow = '', , line, column] = found
    const text = message.slice(end, found.index) + arrow
    if (text !== '') parts.push({ kind: 'text', text })
    parts.push({
      kind: 'place',
      text: `line ${line}, column ${Number(column) + 1}`,
      line: Number(line),
      column: Number(column) + 1,
    })
    end = found.index + whole.length
  }
  if (end < message.length) parts.push({ kind: 'text', text: message.slice(end) })
  return parts
}

export function errorTitle(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const line =
    lines.find((line) => line.startsWith('error: '))?.replace(/^error: /, '') ??
    lines[0] ??
    'The chain reported an error.'
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
