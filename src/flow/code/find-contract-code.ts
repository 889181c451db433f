import { hash } from 'node:crypto'
import { scriptTokens, isMark, isWord } from './script-tokens.ts'

/** The code of a contract, and where in its transaction it was. */
export interface FoundCode {
  readonly code: Buffer
  readonly foundIn: 'argument' | 'script'
}

/** SHA3-256 of a contract's code, 32 bytes: what events tell of it. Source: onflow/cadence `stdlib/account.go`. */
export function contractCodeHash(code: Uint8Array): Buffer {
  return Buffer.from(hash('sha3-256', code, 'hex'), 'hex')
}

/**
 * Looks for the code with this hash in the transaction that deployed it, where it nearly always is: an argument or a
 * text in the script, as it is or as hex digits, or an argument of bytes. What contracts put together themselves is not
 * there.
 * @param args JSON-CDC values, as raw.transactions.arguments has them
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

/** The bytes that a text may stand for. */
function readings(text: string): Buffer[] {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  const isHex = digits.length % 2 === 0 && /^[0-9a-f]+$/i.test(digits)
  return isHex ? [Buffer.from(digits, 'hex'), Buffer.from(text)] : [Buffer.from(text)]
}

/** All texts and byte arrays in values of any depth. */
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

/** The bytes of an array of UInt8, or undefined where it is of something else. */
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

/** Source of the escapes: onflow/cadence `parser/expression.go`, parseStringLiteralContent. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u\{([0-9a-f]{1,8})\}|(.))/gis, (literal, digits?: string, mark?: string) => {
    if (mark !== undefined) return escapes[mark] ?? literal
    const codePoint = Number.parseInt(digits ?? '', 16)
    return codePoint <= 0x10_ffff ? String.fromCodePoint(codePoint) : literal
  })
}

/**
 * The names of the events that the code of a contract declares, in its order: `event Deposited(`. Those of interfaces
 * nested in it are among them.
 */
export function declaredEvents(code: string): string[] {
  const tokens = scriptTokens(code)
  const names = new Set<string>()
  for (const [i, token] of tokens.entries()) {
    const name = tokens[i + 1]
    if (isWord(token, 'event') && name?.kind === 'word' && isMark(tokens[i + 2], '(')) names.add(name.text)
  }
  return [...names]
}
