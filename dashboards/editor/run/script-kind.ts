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
  const plain = readCadenceTokens(code)
    .map(({ kind, text }) => (kind === 'comment' ? ' ' : kind === 'text' ? '""' : text))
    .join('')
  const depths = topLevel(plain)
  const find = (pattern: RegExp): RegExpExecArray | undefined => {
    for (const found of plain.matchAll(pattern)) if (depths[found.index] === 0) return found
    return undefined
  }
  const main = find(/\bfun\s+main\s*\(/g)
  if (main !== undefined)
    return { kind: 'script', parameters: readParameters(plain.slice(main.index + main[0].length)) }
  const transaction = find(/\btransaction\b\s*(\()?/g)
  if (transaction !== undefined)
    return {
      kind: 'transaction',
      parameters:
        transaction[1] === undefined ? [] : readParameters(plain.slice(transaction.index + transaction[0].length)),
    }
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

/** What is read of parameters: strangers write code too, and a page has a field for each. */
const mostParameters = 255

function readParameters(code: string): readonly Parameter[] {
  const parameters: Parameter[] = []
  let [depth, from] = [0, 0]
  const end = (at: number): void => {
    const parameter = readParameter(code.slice(from, at))
    if (parameter !== undefined) parameters.push(parameter)
    from = at + 1
  }
  for (let at = 0; at < code.length && parameters.length < mostParameters; at++) {
    const char = code[at] ?? ''
    if (char === ')' && depth === 0) {
      end(at)
      return parameters
    }
    if ('([{<'.includes(char)) depth++
    if (')]}>'.includes(char)) depth--
    if (char === ',' && depth === 0) end(at)
  }
  if (parameters.length < mostParameters) end(code.length)
  return parameters
}

/** `label name: Type`. The text is cut at its colon first: a pattern for all of it would go over long blanks again and again. */
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
