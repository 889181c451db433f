import { typeId } from '../../../src/flow/type-id.ts'

export type SimpleTypeName =
  | 'Void'
  | 'Never'
  | 'Bool'
  | 'String'
  | 'Character'
  | 'Address'
  | 'Type'
  | 'Path'
  | 'StoragePath'
  | 'PublicPath'
  | 'PrivatePath'
  | 'CapabilityPath'
  | 'Int'
  | 'Int8'
  | 'Int16'
  | 'Int32'
  | 'Int64'
  | 'Int128'
  | 'Int256'
  | 'UInt'
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'UInt128'
  | 'UInt256'
  | 'Word8'
  | 'Word16'
  | 'Word32'
  | 'Word64'
  | 'Word128'
  | 'Word256'
  | 'Fix64'
  | 'UFix64'
  | 'Fix128'
  | 'UFix128'
  | 'Number'
  | 'SignedNumber'
  | 'Integer'
  | 'SignedInteger'
  | 'FixedPoint'
  | 'SignedFixedPoint'
  | 'AnyStruct'
  | 'AnyResource'
  | 'HashableStruct'
  | 'Block'
  | 'Account'

/** Types are constants: encoders keep a plan for each. */
export type CadenceType =
  | SimpleTypeName
  | OptionalType
  | ArrayType
  | DictionaryType
  | RangeType
  | CompositeType
  | InterfaceType
  | IntersectionType
  | ReferenceType
  | CapabilityType
  | FunctionType

export interface OptionalType {
  readonly kind: 'optional'
  readonly element: CadenceType
}

export interface ArrayType {
  readonly kind: 'array'
  readonly element: CadenceType
  readonly size?: number
}

export interface DictionaryType {
  readonly kind: 'dictionary'
  readonly key: CadenceType
  readonly value: CadenceType
}

interface RangeType {
  readonly kind: 'range'
  readonly element: CadenceType
}

export interface CompositeType {
  readonly kind: 'struct' | 'resource' | 'event' | 'contract' | 'enum' | 'attachment'
  /** E.g. `A.f8d6e0586b0a20c7.FlowDKG.EndDKG`, or `PublicKey` for built-in types. */
  readonly id: string
  /** In the order of declaration. An enum has the one field `rawValue`. */
  readonly fields: readonly Field[]
}

export interface InterfaceType {
  readonly kind: 'struct-interface' | 'resource-interface' | 'contract-interface'
  readonly id: string
  /** Used in type values only: `uuid`, which every resource has. */
  readonly fields: readonly Field[]
}

interface IntersectionType {
  readonly kind: 'intersection'
  readonly members: readonly InterfaceType[]
}

export interface ReferenceType {
  readonly kind: 'reference'
  readonly authorization: Authorization
  readonly referenced: CadenceType
}

export type Authorization =
  | { readonly kind: 'none' }
  | { readonly kind: 'conjunction' | 'disjunction'; readonly entitlements: readonly string[] }
  | { readonly kind: 'map'; readonly id: string }

interface CapabilityType {
  readonly kind: 'capability'
  /** Null for an untyped capability. */
  readonly borrowType: CadenceType | null
}

/** Occurs only in type values. */
export interface FunctionType {
  readonly kind: 'function'
  readonly view: boolean
  readonly typeParameters: ReadonlyArray<{ readonly name: string; readonly bound: CadenceType | null }>
  readonly parameters: readonly CadenceType[]
  readonly returnType: CadenceType
}

export interface Field {
  readonly name: string
  readonly type: CadenceType
}

export type EventShape = CompositeType & { readonly kind: 'event' }

export function optional(element: CadenceType): OptionalType {
  return { kind: 'optional', element }
}

export function arrayOf(element: CadenceType, size?: number): ArrayType {
  return size === undefined ? { kind: 'array', element } : { kind: 'array', element, size }
}

/** @param fields in the order of declaration */
export function compositeType<Kind extends CompositeType['kind']>(
  kind: Kind,
  id: string,
  fields: Readonly<Record<string, CadenceType>>,
): CompositeType & { readonly kind: Kind } {
  return { kind, id, fields: Object.entries(fields).map(([name, type]) => ({ name, type })) }
}

export function eventShape(id: string, fields: Readonly<Record<string, CadenceType>>): EventShape {
  return compositeType('event', id, fields)
}

/** Messages define these types before use. */
export type NominalType = CompositeType | InterfaceType

export function collectNominalTypes(type: CadenceType, found: Map<string, NominalType>): void {
  if (typeof type === 'object' && 'id' in type) {
    if (found.has(type.id)) return
    found.set(type.id, type)
  }
  for (const part of partsOf(type)) collectNominalTypes(part, found)
}

/** Within values; interfaces and functions have none. */
export function partsOf(type: CadenceType): readonly CadenceType[] {
  if (typeof type === 'string' || type.kind === 'function') return []
  switch (type.kind) {
    case 'optional':
    case 'array':
    case 'range':
      return [type.element]
    case 'dictionary':
      return [type.key, type.value]
    case 'reference':
      return [type.referenced]
    case 'intersection':
      return type.members
    case 'capability':
      return type.borrowType === null ? [] : [type.borrowType]
    default:
      return isInterface(type) ? [] : type.fields.map((field) => field.type)
  }
}

const abstractNames: ReadonlySet<string> = new Set([
  'AnyStruct',
  'AnyResource',
  'HashableStruct',
  'Integer',
  'SignedInteger',
  'Number',
  'SignedNumber',
  'FixedPoint',
  'SignedFixedPoint',
  'Path',
  'CapabilityPath',
])

/** Whether values of the type name their own types. */
export function isAbstract(type: CadenceType): boolean {
  if (typeof type === 'string') return abstractNames.has(type)
  return type.kind === 'intersection' || isInterface(type)
}

export function isInterface(type: Exclude<CadenceType, string>): type is InterfaceType {
  return type.kind.endsWith('-interface')
}

/** `Type.identifier` in Cadence. */
export function typeIdOf(type: CadenceType): string {
  if (typeof type === 'string') return type
  switch (type.kind) {
    case 'optional':
      return typeId.optional(typeIdOf(type.element))
    case 'array':
      if (type.size === undefined) return typeId.variableSizedArray(typeIdOf(type.element))
      return typeId.constantSizedArray(typeIdOf(type.element), String(type.size))
    case 'dictionary':
      return typeId.dictionary(typeIdOf(type.key), typeIdOf(type.value))
    case 'range':
      return typeId.inclusiveRange(typeIdOf(type.element))
    case 'reference':
      return typeId.reference(authorizationText(type.authorization), typeIdOf(type.referenced))
    case 'intersection':
      return typeId.intersection(type.members.map(typeIdOf))
    case 'capability':
      return typeId.capability(type.borrowType === null ? null : typeIdOf(type.borrowType))
    case 'function': {
      const typeParameters = type.typeParameters.map(({ name, bound }) => {
        return typeId.typeParameter(name, bound === null ? null : typeIdOf(bound))
      })
      return typeId.function(type.view, typeParameters, type.parameters.map(typeIdOf), typeIdOf(type.returnType))
    }
    default:
      return type.id
  }
}

function authorizationText(authorization: Authorization): string | null {
  if (authorization.kind === 'none') return null
  if (authorization.kind === 'map') return `mapping ${authorization.id}`
  return typeId.entitlements(authorization.entitlements, authorization.kind)
}

/**
 * A value in the place of a type, by that type:
 * - Bool: boolean. String, Character: string
 * - integers: number where safe, else bigint. Fixed-point numbers too, in units of 10^-8 (of 128 bits: 10^-24)
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

/** A value of type `Type`; null for an unknown type. */
interface TypeValue {
  readonly staticType: CadenceType | null
}

export interface TypedValue {
  readonly type: CadenceType
  readonly value: CadenceValue
}

export function wrongValue(type: string, value: CadenceValue): TypeError {
  const description =
    typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value)
  return new TypeError(`${description} (${typeof value}) is no value of a ${type}`)
}

export function itemsOf(type: string, value: CadenceValue): readonly CadenceValue[] {
  if (!Array.isArray(value)) throw wrongValue(type, value)
  return value as readonly CadenceValue[]
}

export function typedValueOf(value: CadenceValue): TypedValue {
  if (!isTypedValue(value)) throw wrongValue('abstract type', value)
  return value
}

export function isTypedValue(value: CadenceValue): value is TypedValue {
  return typeof value === 'object' && value !== null && 'type' in value
}

export function typeOf(value: CadenceValue): CadenceType | null {
  if (typeof value !== 'object' || value === null || !('staticType' in value)) throw wrongValue('Type', value)
  return value.staticType
}

export function addressOf(value: CadenceValue): Uint8Array {
  if (!(value instanceof Uint8Array) || value.length !== 8) throw wrongValue('Address', value)
  return value
}

/** @throws TypeError */
export function pathOf(value: CadenceValue): [domain: 'storage' | 'public' | 'private', identifier: string] {
  const [, domain, identifier] =
    typeof value === 'string' ? (/^\/(storage|public|private)\/(.*)$/s.exec(value) ?? []) : []
  if (domain === undefined || identifier === undefined) throw wrongValue('Path', value)
  return [domain as 'storage' | 'public' | 'private', identifier]
}

export function capabilityOf(value: CadenceValue): [address: Uint8Array, id: number | bigint] {
  const [address, id] = itemsOf('Capability', value)
  if (typeof id !== 'number' && typeof id !== 'bigint') throw wrongValue('Capability', value)
  return [addressOf(address ?? null), id]
}
