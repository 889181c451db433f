/** A Cadence type, as events and arguments declare it. Composites and interfaces are told apart by their id. */
export type CadenceType =
  | SimpleType
  | CompositeType
  | InterfaceType
  | FunctionType
  | { readonly kind: 'optional'; readonly element: CadenceType }
  | { readonly kind: 'array'; readonly element: CadenceType; readonly size?: number }
  | { readonly kind: 'dictionary'; readonly key: CadenceType; readonly value: CadenceType }
  | { readonly kind: 'range'; readonly element: CadenceType }
  | { readonly kind: 'reference'; readonly authorization: Authorization; readonly referenced: CadenceType }
  | { readonly kind: 'intersection'; readonly members: readonly CadenceType[] }
  | { readonly kind: 'capability'; readonly borrowType: CadenceType | null }

/** A built-in type without parts, by the name that Cadence writes: `UFix64`, `Address`, `AnyStruct` … */
export interface SimpleType {
  readonly kind: 'simple'
  readonly name: string
}

export interface CadenceField {
  readonly name: string
  readonly type: CadenceType
}

/** The fields of an enum are its raw value alone. */
export interface CompositeType {
  readonly kind: 'composite'
  readonly form: 'Struct' | 'Resource' | 'Event' | 'Contract' | 'Enum' | 'Attachment'
  readonly id: string
  readonly fields: readonly CadenceField[]
}

/** Fields appear in JSON-CDC only: `uuid`, which every resource has. */
export interface InterfaceType {
  readonly kind: 'interface'
  readonly form: 'StructInterface' | 'ResourceInterface' | 'ContractInterface'
  readonly id: string
  readonly fields?: readonly CadenceField[]
}

/** Occurs only as what a value of type `Type` stands for. */
export interface FunctionType {
  readonly kind: 'function'
  readonly view: boolean
  readonly typeParameters: ReadonlyArray<{ readonly name: string; readonly bound: CadenceType | null }>
  readonly parameters: readonly CadenceType[]
  readonly returnType: CadenceType
}

/** What a reference may do. */
export type Authorization =
  | { readonly kind: 'none' }
  | { readonly kind: 'conjunction' | 'disjunction'; readonly entitlements: readonly string[] }
  | { readonly kind: 'map'; readonly id: string }

const abstractNames = new Set(['AnyStruct', 'AnyResource', 'HashableStruct', 'Integer', 'SignedInteger', 'Number',
  'SignedNumber', 'FixedPoint', 'SignedFixedPoint', 'Path', 'CapabilityPath'])

/** Whether a value in a place of that type names its own type. */
export function isAbstract(type: CadenceType): boolean {
  if (type.kind === 'interface' || type.kind === 'intersection') return true
  return type.kind === 'simple' && abstractNames.has(type.name)
}

/** Every composite and interface type that a type mentions in itself and in its fields, each once. */
export function nominalTypesOf(type: CadenceType): Array<CompositeType | InterfaceType> {
  const found = new Map<string, CompositeType | InterfaceType>()
  collect(type, found)
  return [...found.values()]
}

function collect(type: CadenceType, found: Map<string, CompositeType | InterfaceType>): void {
  switch (type.kind) {
    case 'simple':
    case 'function':
      return
    case 'interface':
      found.set(type.id, type)
      return
    case 'composite':
      if (found.has(type.id)) return
      found.set(type.id, type)
      for (const field of type.fields) collect(field.type, found)
      return
    case 'optional':
    case 'array':
    case 'range':
      collect(type.element, found)
      return
    case 'dictionary':
      collect(type.key, found)
      collect(type.value, found)
      return
    case 'reference':
      collect(type.referenced, found)
      return
    case 'intersection':
      for (const member of type.members) collect(member, found)
      return
    case 'capability':
      if (type.borrowType !== null) collect(type.borrowType, found)
  }
}
