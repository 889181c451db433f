/** A type without parts, by its Cadence name. */
export type SimpleTypeName =
  | 'Bool' | 'String' | 'Character' | 'Address' | 'Type' | 'Path' | 'StoragePath' | 'PublicPath'
  | 'Int' | 'Int8' | 'Int16' | 'Int32' | 'Int64' | 'Int128' | 'Int256'
  | 'UInt' | 'UInt8' | 'UInt16' | 'UInt32' | 'UInt64' | 'UInt128' | 'UInt256'
  | 'Word8' | 'Word16' | 'Word32' | 'Word64' | 'Fix64' | 'UFix64' | 'AnyStruct'

/** A Cadence type of a field or an argument. Types are made once, as constants: encoders keep a plan for each. */
export type CadenceType = SimpleTypeName | OptionalType | ArrayType | DictionaryType | CompositeType | CapabilityType

export interface OptionalType {
  readonly kind: 'optional'
  readonly element: CadenceType
}

export interface ArrayType {
  readonly kind: 'array'
  readonly element: CadenceType
  /** Of a constant-sized array. */
  readonly size?: number
}

export interface DictionaryType {
  readonly kind: 'dictionary'
  readonly key: CadenceType
  readonly value: CadenceType
}

export interface CompositeType {
  readonly kind: 'struct' | 'resource' | 'enum' | 'event'
  /** E.g. `A.f8d6e0586b0a20c7.FlowDKG.EndDKG`; `PublicKey` for types of the language. */
  readonly id: string
  /** In the order of the declaration. An enum has the one field `rawValue`. */
  readonly fields: readonly Field[]
}

/** A capability of a reference without authorization to an intersection of interfaces. */
export interface CapabilityType {
  readonly kind: 'capability'
  /** Type ids of the interfaces, e.g. `A.ee82856bf20e2aa6.FungibleToken.Receiver`. */
  readonly interfaces: readonly string[]
}

export interface Field {
  readonly name: string
  readonly type: CadenceType
}

/**
 * A value in the place of a type, by that type:
 * - Bool: boolean. String, Character: string
 * - integers: number where it is safe, else bigint. Fix64, UFix64: bigint, in units of 10^-8
 * - Address: 8 bytes. Path: its text, e.g. `/public/flowTokenReceiver`. Type: the type id
 * - optional: null or the value. array: values; `[UInt8]` may be a Buffer. dictionary: pairs
 * - composite: the values of the fields in their order, `[rawValue]` for an enum
 * - capability: id, address
 */
export type CadenceValue = boolean | number | bigint | string | null | Uint8Array | readonly CadenceValue[]

export function optional(element: CadenceType): OptionalType {
  return { kind: 'optional', element }
}

export function arrayOf(element: CadenceType, size?: number): ArrayType {
  return size === undefined ? { kind: 'array', element } : { kind: 'array', element, size }
}

/** An event's shape: its type id, and name and type of each field in the order of the declaration. */
export type EventShape = CompositeType & { readonly kind: 'event' }

/** @param fields name to type, in the order of the declaration */
export function eventShape(id: string, fields: Readonly<Record<string, CadenceType>>): EventShape {
  return { kind: 'event', id, fields: Object.entries(fields).map(([name, type]) => ({ name, type })) }
}
