import { payloadLimits } from '../payload-limits.ts'
import { typeId } from '../type-id.ts'
import { asList, asObject, asText, malformed } from './json-node.ts'
import type { JsonNode, JsonObject } from './json-node.ts'

/**
 * The text of a type in JSON-CDC; null where the node did not know the type (an empty string).
 *
 * Old payloads hold the text itself; a type that occurs within itself holds the text in its inner place.
 */
export function nullableTypeText(node: JsonNode | undefined, depth = 0): string | null {
  if (node === undefined || node === null || node === '') return null
  if (typeof node === 'string') return node
  if (depth > payloadLimits.depth) {
    throw malformed(`types nested deeper than ${payloadLimits.depth}`, 'payload-too-deep')
  }
  return structuredTypeText(asObject(node), depth)
}

function typeText(node: JsonNode | undefined, depth: number): string {
  const text = nullableTypeText(node, depth)
  if (text === null) throw malformed('a part of a type is missing')
  return text
}

function structuredTypeText(type: JsonObject, depth: number): string {
  const kind = asText(type['kind'])
  const inner = (name: string): string => typeText(type[name], depth + 1)
  const list = (name: string): string[] => asList(type[name]).map((member) => typeText(member, depth + 1))
  switch (kind) {
    case 'Optional':
      return typeId.optional(inner('type'))
    case 'VariableSizedArray':
      return typeId.variableSizedArray(inner('type'))
    case 'ConstantSizedArray':
      return typeId.constantSizedArray(inner('type'), sizeText(type['size']))
    case 'Dictionary':
      return typeId.dictionary(inner('key'), inner('value'))
    case 'InclusiveRange':
      return typeId.inclusiveRange(inner('element'))
    case 'Capability':
      return typeId.capability(nullableTypeText(type['type'], depth + 1))
    case 'Reference':
      return referenceText(type, inner('type'))
    case 'Intersection':
      return typeId.intersection(list('types'))
    case 'Restriction':
      return typeId.restriction(nullableTypeText(type['type'], depth + 1) ?? '', list('restrictions'))
    case 'Function':
      return functionText(type, depth)
    default:
      // Nominal types have a type id, simple types are their kind.
      return type['typeID'] === undefined ? kind : asText(type['typeID'])
  }
}

function sizeText(size: JsonNode | undefined): string {
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw malformed('an array type without size')
  return String(size)
}

function referenceText(type: JsonObject, referenced: string): string {
  if (typeof type['authorized'] === 'boolean') return typeId.legacyReference(type['authorized'], referenced)
  const authorization = asObject(type['authorization'])
  const entitlements = (): string[] => {
    return asList(authorization['entitlements']).map((entitlement) => asText(asObject(entitlement)['typeID']))
  }
  const kind = asText(authorization['kind'])
  switch (kind) {
    case 'Unauthorized':
      return typeId.reference(null, referenced)
    case 'EntitlementMapAuthorization':
      return typeId.reference(entitlements().join(','), referenced)
    case 'EntitlementConjunctionSet':
      return typeId.reference(typeId.entitlements(entitlements(), 'conjunction'), referenced)
    case 'EntitlementDisjunctionSet':
      return typeId.reference(typeId.entitlements(entitlements(), 'disjunction'), referenced)
    default:
      throw malformed(`an unknown authorization: ${kind}`)
  }
}

function functionText(type: JsonObject, depth: number): string {
  const typeParameters = asList(type['typeParameters'] ?? []).map((parameter) => {
    const { name, typeBound } = asObject(parameter)
    return typeId.typeParameter(asText(name), nullableTypeText(typeBound, depth + 1))
  })
  const parameters = asList(type['parameters'] ?? []).map((parameter) => {
    return typeText(asObject(parameter)['type'], depth + 1)
  })
  return typeId.function(type['purity'] === 'view', typeParameters, parameters, typeText(type['return'], depth + 1))
}
