import { readAbiValues } from './abi-values.ts'
import { keccak256 } from './keccak256.ts'

const wordDigits = 64

/** @param signature as in Solidity @returns hex digits */
export function callInput(signature: string, ...words: readonly bigint[]): string {
  const selector = keccak256(Buffer.from(signature)).toString('hex', 0, 4)
  return selector + words.map((word) => word.toString(16).padStart(wordDigits, '0')).join('')
}

/** Hex digits; null for a failed call. Contracts can return any bytes. */
export type CallResult = string | null

export function uintResult(result: CallResult | undefined): bigint | null {
  return typeof result === 'string' && /^[0-9a-f]{64}$/.test(result) ? BigInt(`0x${result}`) : null
}

/** `string`, or `bytes32` as in tokens before 2018. Null if empty or longer than `maxLength` characters. */
export function textResult(result: CallResult | undefined, maxLength: number): string | null {
  if (typeof result !== 'string') return null
  const bytes = Buffer.from(result, 'hex')
  const [value] = bytes.length === wordDigits / 2 ? [fixedText(bytes)] : (readAbiValues(['string'], bytes) ?? [])
  if (typeof value !== 'string' || value.length > 2 * maxLength) return null
  // Control characters and invalid UTF-8.
  const text = value.replaceAll(/[\p{Cc}\uFFFD]+/gu, ' ').trim()
  return text === '' || Array.from(text).length > maxLength ? null : text
}

function fixedText(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end)
}
