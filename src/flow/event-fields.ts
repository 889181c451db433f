import type { PayloadFields } from './payload-value.ts'
import { tokenId } from './tokens/token-id.ts'
import { isUfix64 } from './tokens/ufix64.ts'

const maxInt8 = '9223372036854775807'

export class FieldShapeError extends Error {}

/** Field readers throw FieldShapeError for unexpected shapes. */
export function amountField(fields: PayloadFields, name = 'amount'): string {
  const value = fields[name]
  if (typeof value !== 'string' || !isUfix64(value)) throw unexpected(name, 'a UFix64')
  return value
}

export function uint64Field(fields: PayloadFields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value.length > 20 || !isDigits(value)) throw unexpected(name, 'a UInt64')
  return value
}

/** In the range of bigint. */
export function int8Field(fields: PayloadFields, name: string): bigint {
  const value = BigInt(uint64Field(fields, name))
  if (value > BigInt(maxInt8)) throw new FieldShapeError(`field ${name} exceeds ${maxInt8}`)
  return value
}

/** A UInt64 that the chain keeps below 2^56, and PostgreSQL below 2^63. */
export function uuidField(fields: PayloadFields, name: string): string {
  const value = uint64Field(fields, name)
  if (value.length < maxInt8.length || (value.length === maxInt8.length && value <= maxInt8)) return value
  throw unexpected(name, 'a uuid')
}

/** Undefined for nil. */
export function optionalAddressField(fields: PayloadFields, name: string): string | undefined {
  const value = fields[name]
  if (value === null) return undefined
  if (typeof value !== 'string' || value.length !== 18 || !value.startsWith('0x')) throw unexpected(name, 'an Address?')
  return value
}

export function addressField(fields: PayloadFields, name = 'address'): string {
  const address = optionalAddressField(fields, name)
  if (address === undefined) throw unexpected(name, 'an Address')
  return address
}

/** 40 hex digits in events; returns `0x` and 40 hex digits. */
export function evmAddressField(fields: PayloadFields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || !/^(0x)?[0-9a-f]{40}$/i.test(value)) throw unexpected(name, 'an EVM address')
  return `0x${value.slice(-40).toLowerCase()}`
}

export function tokenField(fields: PayloadFields, name = 'type'): string {
  const value = fields[name]
  const token = typeof value === 'string' ? tokenId(value) : undefined
  if (token === undefined) throw unexpected(name, 'the type of a resource')
  return token
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x30 || code > 0x39) return false
  }
  return text.length > 0
}

function unexpected(name: string, expected: string): FieldShapeError {
  return new FieldShapeError(`field ${name} is not ${expected}`)
}
