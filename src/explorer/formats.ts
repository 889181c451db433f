import { z } from 'zod'

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
  .describe('Decimal number, as a string to stay exact.')
export const timestampFormat = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds.' })

/** With or without `0x`, in any case. */
export const hashPattern = /^(0[xX])?[0-9a-fA-F]{64}$/

export function hashBytes(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/i, ''), 'hex')
}

/** Used by system transactions. */
export const zeroAddress = '0x0000000000000000'

export function contractParts(contract: string): { readonly address: string; readonly name: string } {
  const [, digits = '', name = ''] = contract.split('.')
  return { address: `0x${digits}`, name }
}

/** Exact, without trailing zeros. */
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

export function timeAt(times: ReadonlyMap<number, string>, height: number | null): string | null {
  return height === null ? null : (times.get(height) ?? null)
}

export function pickFields<Schema extends z.ZodObject>(schema: Schema, values: z.output<Schema>): z.output<Schema> {
  const fields: Readonly<Record<string, unknown>> = values
  return Object.fromEntries(Object.keys(schema.shape).map((name) => [name, fields[name]])) as z.output<Schema>
}
