import { accountOf } from '../encode-transaction.ts'
import { hexOf } from '../bytes.ts'
import { SigningError } from '../signing-error.ts'

/** Arguments as JSON-CDC text. Amounts are in units of 10^-8. */

const decimals = 8
const unit = 10n ** BigInt(decimals)
const maxUint64 = 2n ** 64n - 1n

type ArgumentType = 'String' | 'UInt8' | 'UInt64' | 'UInt256' | 'Int' | 'UFix64' | 'Address'

const forms: Readonly<Record<ArgumentType, RegExp>> = {
  String: /^[\w.-]*$/,
  UInt8: /^(?:0|[1-9]\d{0,2})$/,
  UInt64: /^(?:0|[1-9]\d{0,19})$/,
  UInt256: /^(?:0|[1-9]\d{0,77})$/,
  Int: /^(?:0|-?[1-9]\d*)$/,
  UFix64: /^(?:0|[1-9]\d*)\.\d{1,8}$/,
  Address: /^0x[0-9a-f]{1,16}$/i,
}

export const cadence = {
  string: (value: string): string => text('String', value),
  uint8: (value: number): string => text('UInt8', String(value)),
  uint64: (value: bigint): string => text('UInt64', String(value)),
  uint256: (value: bigint): string => text('UInt256', String(value)),
  int: (value: number): string => text('Int', String(value)),
  ufix64: (units: bigint): string => text('UFix64', amountText(units)),
  address: (address: string, field: string): string => text('Address', `0x${hexOf(accountOf(address, field))}`),
} as const

/** With all 8 decimals: `1.50000000`. @throws SigningError */
export function amountText(units: bigint): string {
  if (units < 0n || units > maxUint64) throw new SigningError('amount', 'must be from 0.0 to 184467440737.09551615')
  return `${units / unit}.${String(units % unit).padStart(decimals, '0')}`
}

/** Exact decimal input: `1`, `1.5`, `0.00000001`. @throws SigningError */
export function amountUnits(amount: string, field = 'amount'): bigint {
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,8}))?$/.exec(amount) ?? []
  const units = whole === undefined ? maxUint64 + 1n : BigInt(whole) * unit + BigInt(part.padEnd(decimals, '0'))
  if (units > maxUint64)
    throw new SigningError(field, 'must be a number with at most 8 decimals, up to 184467440737.09551615')
  return units
}

/**
 * Undefined unless the argument has exactly one type and one value: another parser might read
 * others differently.
 */
export function plainArgument(argument: string, type: ArgumentType): string | undefined {
  let read: unknown
  try {
    read = JSON.parse(argument)
  } catch {
    return undefined
  }
  const { value } = (typeof read === 'object' && read !== null ? read : {}) as { readonly value?: unknown }
  if (typeof value !== 'string' || !forms[type].test(value)) return undefined
  const written = argument.replace(/[ \t\r\n]/g, '')
  return written === text(type, value) || written === JSON.stringify({ value, type }) ? value : undefined
}

/** A string of any characters, written as `JSON.stringify` does. */
export function exactString(argument: string): string | undefined {
  let read: unknown
  try {
    read = JSON.parse(argument)
  } catch {
    return undefined
  }
  const { value } = (typeof read === 'object' && read !== null ? read : {}) as { readonly value?: unknown }
  if (typeof value !== 'string') return undefined
  return argument === text('String', value) || argument === JSON.stringify({ value, type: 'String' })
    ? value
    : undefined
}

function text(type: ArgumentType, value: string): string {
  return JSON.stringify({ type, value })
}
