import type { CadenceType } from './cadence-type.ts'

/**
 * A Cadence value without its type, which the place that it is in knows:
 *
 * | type | data |
 * |---|---|
 * | integers | number within 2^53, or bigint |
 * | fixed-point | the same, scaled: 10^-8, for the 128-bit ones 10^-24; 1.5 FLOW is 150000000 |
 * | Bool, String, Character | boolean, string |
 * | Address | text form, `0x` and 16 lower-case hex digits |
 * | Void; an optional without a value | null |
 * | array | list; `[UInt8]` of any size also bytes |
 * | dictionary | list of `[key, value]`, in any order |
 * | composite | its fields' values in order; of an enum its raw value in a list |
 * | InclusiveRange | `[start, end, step]` |
 * | AnyStruct and other abstract types, interfaces | `TypedData` |
 */
export type CadenceData =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly CadenceData[]
  | PathData
  | TypeData
  | CapabilityData
  | TypedData

export interface PathData {
  readonly domain: 'storage' | 'private' | 'public'
  readonly identifier: string
}

/** A value of type `Type`; null for a type that is no longer known. */
export interface TypeData {
  readonly staticType: CadenceType | null
}

export interface CapabilityData {
  readonly address: string
  readonly id: number | bigint
}

/** A value with its type. */
export interface TypedData {
  readonly type: CadenceType
  readonly data: CadenceData
}

/** The error of data that is not of the type of its place: a mistake of who made it. */
export function wrongData(type: string, data: CadenceData): TypeError {
  const told = typeof data === 'object' && data !== null ? Object.prototype.toString.call(data) : String(data)
  return new TypeError(`${told} (${typeof data}) is no data of a ${type}`)
}

/** @throws TypeError */
export function listOf(type: string, data: CadenceData): readonly CadenceData[] {
  if (!Array.isArray(data)) throw wrongData(type, data)
  return data as readonly CadenceData[]
}

/** @throws TypeError */
export function typedDataOf(type: string, data: CadenceData): TypedData {
  if (typeof data !== 'object' || data === null || !('type' in data)) throw wrongData(type, data)
  return data
}

/** @throws TypeError */
export function pathOf(data: CadenceData): PathData {
  if (typeof data !== 'object' || data === null || !('identifier' in data)) throw wrongData('Path', data)
  return data
}

/** @throws TypeError */
export function typeOf(data: CadenceData): CadenceType | null {
  if (typeof data !== 'object' || data === null || !('staticType' in data)) throw wrongData('Type', data)
  return data.staticType
}

/** @throws TypeError */
export function capabilityOf(data: CadenceData): CapabilityData {
  if (typeof data !== 'object' || data === null || !('address' in data)) throw wrongData('Capability', data)
  return data
}
