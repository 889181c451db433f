import { typeId } from '../../../src/flow/type-id.ts'
import type { Authorization, CadenceType } from './cadence-type.ts'

/** The text of a type: what `Type.identifier` gives inside Cadence. */
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
