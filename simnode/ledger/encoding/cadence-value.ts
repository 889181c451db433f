import type { CadenceType } from './cadence-type.ts'

/**
 * A value in the place of a type, by that type:
 * - Bool: boolean. String, Character: string
 * - integers: number where it is safe, else bigint. Fixed-point numbers the same, in units of 10^-8 (of 128 bits: 10^-24)
 * - Address: 8 bytes. Paths: text, e.g. `/public/flowTokenReceiver`
 * - optional: null or the value. Void: null
 * - array: values; `[UInt8]` may be bytes. dictionary: pairs, in any order. InclusiveRange: start, end, step
 * - composite: the values of the fields in their order, `[rawValue]` for an enum
 * - capability: address, id
 * - Type: `TypeValue`. AnyStruct and other abstract types, interfaces: `TypedValue`; null where there is nothing
 */
export type CadenceValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly CadenceValue[]
  | TypeValue
  | TypedValue

/** A value of type `Type`; null for a type that is no longer known. */
export interface TypeValue {
  readonly staticType: CadenceType | null
}

/** A value that names its own type. */
export interface TypedValue {
  readonly type: CadenceType
  readonly value: CadenceValue
}

/** The error of a value that is not of the type of its place: a mistake of who made it. */
export function wrongValue(type: string, value: CadenceValue): TypeError {
  const told = typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value)
  return new TypeError(`${told} (${typeof value}) is no value of a ${type}`)
}

/** @throws TypeError */
export function itemsOf(type: string, value: CadenceValue): readonly CadenceValue[] {
  if (!Array.isArray(value)) throw wrongValue(type, value)
  return value as readonly CadenceValue[]
}

/** @throws TypeError */
export function typedValueOf(value: CadenceValue): TypedValue {
  if (!isTypedValue(value)) throw wrongValue('abstract type', value)
  return value
}

export function isTypedValue(value: CadenceValue): value is TypedValue {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** @throws TypeError */
export function typeOf(value: CadenceValue): CadenceType | null {
  if (typeof value !== 'object' || value === null || !('staticType' in value)) throw wrongValue('Type', value)
  return value.staticType
}

/** @throws TypeError */
export function addressOf(value: CadenceValue): Uint8Array {
  if (!(value instanceof Uint8Array) || value.length !== 8) throw wrongValue('Address', value)
  return value
}

/** Domain and identifier of a path. @throws TypeError */
export function pathOf(value: CadenceValue): [domain: 'storage' | 'public' | 'private', identifier: string] {
  const [, domain, identifier] =
    typeof value === 'string' ? (/^\/(storage|public|private)\/(.*)$/s.exec(value) ?? []) : []
  if (domain === undefined || identifier === undefined) throw wrongValue('Path', value)
  return [domain as 'storage' | 'public' | 'private', identifier]
}

/** @throws TypeError */
export function capabilityOf(value: CadenceValue): [address: Uint8Array, id: number | bigint] {
  const [address, id] = itemsOf('Capability', value)
  if (typeof id !== 'number' && typeof id !== 'bigint') throw wrongValue('Capability', value)
  return [addressOf(address ?? null), id]
}
