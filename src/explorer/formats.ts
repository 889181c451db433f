import { z } from 'zod'

/** The forms in which values leave the API, and with which they are described. */

export const heightFormat = z.int().min(0)
export const countFormat = z.int().min(0)
export const idFormat = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('64 hex digits, no 0x.')
export const addressFormat = z
  .string()
  .regex(/^0x[0-9a-f]{16}$/)
  .describe('0x and 16 hex digits.')
export const addressDigitsFormat = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .describe('16 hex digits, no 0x.')
export const amountFormat = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe('A decimal number as text, so that it stays exact.')
export const timestampFormat = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds.' })

/** A 64-digit id or hash as people write it: with or without `0x`, in any case. */
export const hashPattern = /^(0[xX])?[0-9a-fA-F]{64}$/

/** The 32 bytes of a text that `hashPattern` accepts. */
export function hashBytes(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/i, ''), 'hex')
}

/** The account that stands for "nobody" in addresses of transactions: system transactions have no payer. */
export const zeroAddress = '0x0000000000000000'

/**
 * The account, as text, and the name of a contract.
 * @param contract `A.<address>.<name>`; the name of a type may follow, as tokens have it
 */
export function contractParts(contract: string): { readonly address: string; readonly name: string } {
  const [, digits = '', name = ''] = contract.split('.')
  return { address: `0x${digits}`, name }
}

/** The exact product of two decimal numbers as text, without zeros at the end of its fraction. */
export function multiplyDecimals(left: string, right: string): string {
  const [a, b] = [unscaled(left), unscaled(right)]
  const product = a.digits * b.digits
  const scale = a.scale + b.scale
  const digits = (product < 0n ? -product : product).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${product < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

function unscaled(text: string): { digits: bigint; scale: number } {
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}

/** The time of a block that may be unknown, or not stored. */
export function timeAt(times: ReadonlyMap<number, string>, height: number | null): string | null {
  return height === null ? null : (times.get(height) ?? null)
}
