import type { CadenceType, CompositeType, InterfaceType } from './cadence-type.ts'

/** A type that a contract declares, or the language in a contract's manner: it has an id and is defined before use. */
export type NominalType = CompositeType | InterfaceType

/** Adds every nominal type that a type mentions, in itself and in its fields, by its id. */
export function collectNominalTypes(type: CadenceType, found: Map<string, NominalType>): void {
  if (typeof type === 'string') return
  switch (type.kind) {
    case 'optional':
    case 'array':
    case 'range':
      collectNominalTypes(type.element, found)
      return
    case 'dictionary':
      collectNominalTypes(type.key, found)
      collectNominalTypes(type.value, found)
      return
    case 'reference':
      collectNominalTypes(type.referenced, found)
      return
    case 'intersection':
      for (const member of type.members) collectNominalTypes(member, found)
      return
    case 'capability':
      if (type.borrowType !== null) collectNominalTypes(type.borrowType, found)
      return
    case 'function':
      return
    case 'struct-interface':
    case 'resource-interface':
    case 'contract-interface':
      found.set(type.id, type)
      return
    case 'struct':
    case 'resource':
    case 'event':
    case 'contract':
    case 'enum':
    case 'attachment':
      if (found.has(type.id)) return
      found.set(type.id, type)
      for (const field of type.fields) collectNominalTypes(field.type, found)
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

/** Whether a value in a place of that type names its own type. */
export function isAbstract(type: CadenceType): boolean {
  if (typeof type === 'string') return abstractNames.has(type)
  return type.kind === 'intersection' || isInterface(type)
}

export function isInterface(type: Exclude<CadenceType, string>): type is InterfaceType {
  return type.kind.endsWith('-interface')
}
