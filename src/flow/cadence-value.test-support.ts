/**
 * Cadence types and values for tests: what a value is before either encoding. A value carries its own type, which
 * differs from the type of the place it is in where that place is abstract, a reference or an interface.
 */
export type CadenceType =
  | SimpleType
  | CompositeType
  | InterfaceType
  | { kind: 'optional'; element: CadenceType }
  | { kind: 'array'; element: CadenceType; size?: number }
  | { kind: 'dictionary'; key: CadenceType; value: CadenceType }
  | { kind: 'range'; element: CadenceType }
  | { kind: 'reference'; authorization: Authorization; referenced: CadenceType }
  | { kind: 'intersection'; members: CadenceType[] }
  | { kind: 'capability'; borrowType: CadenceType | null }
  | FunctionType

export interface SimpleType {
  kind: 'simple'
  name: string
}

export interface CompositeType {
  kind: 'composite'
  form: 'Struct' | 'Resource' | 'Event' | 'Contract' | 'Enum' | 'Attachment'
  id: string
  fields: Array<{ name: string; type: CadenceType }>
}

export interface InterfaceType {
  kind: 'interface'
  form: 'StructInterface' | 'ResourceInterface' | 'ContractInterface'
  id: string
}

export interface FunctionType {
  kind: 'function'
  view: boolean
  typeParameters: Array<{ name: string; bound: CadenceType | null }>
  parameters: CadenceType[]
  returnType: CadenceType
}

export type Authorization =
  | { kind: 'none' }
  | { kind: 'conjunction' | 'disjunction'; entitlements: string[] }
  | { kind: 'map'; id: string }

export interface Path {
  domain: 'storage' | 'private' | 'public'
  identifier: string
}

/** `data` by type: integers, scaled fixed-point and addresses are bigint; composites and ranges are lists of values. */
export interface CadenceValue {
  type: CadenceType
  data: boolean | bigint | string | null | Path | CadenceValue | CadenceValue[] | Pairs | TypeOf | CapabilityOf
}

export interface Pairs {
  pairs: Array<[CadenceValue, CadenceValue]>
}

/** A value of type `Type`. */
export interface TypeOf {
  stands: CadenceType | null
}

export interface CapabilityOf {
  address: bigint
  id: bigint
}

/** A value that has no form: nil in CCF, null in JSON-CDC. */
export const absent = null

export const integerTypes: ReadonlyMap<string, [min: bigint, max: bigint]> = new Map([
  ...[8, 16, 32, 64, 128, 256].flatMap((bits): Array<[string, [bigint, bigint]]> => {
    const size = 1n << BigInt(bits)
    return [
      [`Int${bits}`, [-size / 2n, size / 2n - 1n]],
      [`UInt${bits}`, [0n, size - 1n]],
      [`Word${bits}`, [0n, size - 1n]],
    ]
  }),
  ['Int', [-(1n << 300n), 1n << 300n]],
  ['UInt', [0n, 1n << 300n]],
])

export const fixedPointTypes: ReadonlyMap<string, [min: bigint, max: bigint, decimals: number]> = new Map([
  ['Fix64', [-(1n << 63n), (1n << 63n) - 1n, 8]],
  ['UFix64', [0n, (1n << 64n) - 1n, 8]],
  ['Fix128', [-(1n << 127n), (1n << 127n) - 1n, 24]],
  ['UFix128', [0n, (1n << 128n) - 1n, 24]],
])

/** Types of which a value names its own type. */
export const abstractTypes = ['AnyStruct', 'HashableStruct', 'Integer', 'Number', 'Path', 'CapabilityPath'] as const

export function isAbstract(type: CadenceType): boolean {
  if (type.kind === 'interface' || type.kind === 'intersection') return true
  return type.kind === 'simple' && (abstractTypes as readonly string[]).includes(type.name)
}
