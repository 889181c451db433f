import { hash } from 'node:crypto'
import { scriptTokens, isMark, isWord } from './script-tokens.ts'

export interface FoundCode {
  readonly code: Buffer
  readonly foundIn: 'argument' | 'script'
}

/** SHA3-256, 32 bytes, as in events. Source: onflow/cadence `stdlib/account.go`. */
export function contractCodeHash(code: Uint8Array): Buffer {
  return Buffer.from(hash('sha3-256', code, 'hex'), 'hex')
}

/**
 * Searches arguments and string literals, plain or hex. Contracts that deploy generated code are
 * not found.
 *
 * @param args JSON-CDC values, as in raw.transactions.arguments
 */
export function findContractCode(
  codeHash: Uint8Array,
  script: string,
  args: readonly unknown[],
): FoundCode | undefined {
  for (const [foundIn, texts] of [
    ['argument', textsOfArguments(args)],
    ['script', textsOfScript(script)],
  ] as const) {
    for (const text of texts) {
      for (const code of typeof text === 'string' ? readings(text) : [text]) {
        if (contractCodeHash(code).equals(codeHash)) return { code, foundIn }
      }
    }
  }
  return undefined
}

function readings(text: string): Buffer[] {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  const isHex = digits.length % 2 === 0 && /^[0-9a-f]+$/i.test(digits)
  return isHex ? [Buffer.from(digits, 'hex'), Buffer.from(text)] : [Buffer.from(text)]
}

function* textsOfArguments(args: readonly unknown[]): Generator<string | Buffer> {
  const waiting: unknown[] = args.toReversed()
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const { type, value } = next as { readonly type?: unknown; readonly value?: unknown }
    const bytes = type === 'Array' && Array.isArray(value) ? bytesOf(value) : undefined
    if (bytes !== undefined) yield bytes
    else if (type === 'String' && typeof value === 'string') yield value
    else for (const inner of Object.values<unknown>({ ...next }).toReversed()) waiting.push(inner)
  }
}

function bytesOf(values: readonly unknown[]): Buffer | undefined {
  const bytes = values.map((item) => {
    const { type, value } = (item ?? {}) as { readonly type?: unknown; readonly value?: unknown }
    return type === 'UInt8' && typeof value === 'string' ? Number(value) : NaN
  })
  return bytes.length > 0 && bytes.every((byte) => byte >= 0 && byte <= 255) ? Buffer.from(bytes) : undefined
}

function* textsOfScript(script: string): Generator<string> {
  for (const { kind, text } of scriptTokens(script)) if (kind === 'text' && text.length > 0) yield unescaped(text)
}

const escapes: Readonly<Record<string, string>> = { 0: '\0', n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' }

/** Source: onflow/cadence `parser/expression.go`, parseStringLiteralContent. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-f]{1,8})\}|(.))/gis, (literal, digits?: string, mark?: string) => {
    if (mark !== undefined) return escapes[mark] ?? literal
    const codePoint = Number.parseInt(digits ?? '', 16)
    return codePoint <= 0x10_ffff ? String.fromCodePoint(codePoint) : literal
  })
}

/** In source order, with nested interfaces. */
export function declaredEvents(code: string): string[] {
  const tokens = scriptTokens(code)
  const names = new Set<string>()
  for (const [i, token] of tokens.entries()) {
    const name = tokens[i + 1]
    if (isWord(token, 'event') && name?.kind === 'word' && isMark(tokens[i + 2], '(')) names.add(name.text)
  }
  return [...names]
}
