import type { Authorization, CadenceType, FunctionType } from './cadence-type.ts'
import { jsonText } from './json-text.ts'
import type { NominalType } from './nominal-types.ts'
import { typeIdOf } from './type-id-of.ts'

const kinds = {
  struct: 'Struct',
  resource: 'Resource',
  event: 'Event',
  contract: 'Contract',
  enum: 'Enum',
  attachment: 'Attachment',
  'struct-interface': 'StructInterface',
  'resource-interface': 'ResourceInterface',
  'contract-interface': 'ContractInterface',
} as const

/** A type as JSON-CDC tells it where the type itself is a value. A nominal type that was told before is its id. */
export function typeJson(type: CadenceType, known = new Set<string>()): string {
  const inner = (element: CadenceType): string => typeJson(element, known)
  if (typeof type === 'string') return `{"kind":"${type}"}`
  switch (type.kind) {
    case 'optional':
      return `{"type":${inner(type.element)},"kind":"Optional"}`
    case 'array':
      if (type.size === undefined) return `{"type":${inner(type.element)},"kind":"VariableSizedArray"}`
      return `{"type":${inner(type.element)},"kind":"ConstantSizedArray","size":${type.size}}`
    case 'dictionary':
      return `{"key":${inner(type.key)},"value":${inner(type.value)},"kind":"Dictionary"}`
    case 'range':
      return `{"element":${inner(type.element)},"kind":"InclusiveRange"}`
    case 'reference':
      return (
        `{"type":${inner(type.referenced)},"kind":"Reference",` +
        `"authorization":${authorizationJson(type.authorization)}}`
      )
    case 'intersection':
      return `{"kind":"Intersection","typeID":${jsonText(typeIdOf(type))},"types":[${type.members.map(inner).join()}]}`
    case 'capability':
      return `{"type":${type.borrowType === null ? '""' : inner(type.borrowType)},"kind":"Capability"}`
    case 'function':
      return functionJson(type, inner)
    default:
      return nominalJson(type, known, inner)
  }
}

function nominalJson(type: NominalType, known: Set<string>, inner: (type: CadenceType) => string): string {
  if (known.has(type.id)) return jsonText(type.id)
  known.add(type.id)
  const rawType = type.kind === 'enum' ? type.fields[0]?.type : undefined
  const fields = type.fields.map((field) => `{"type":${inner(field.type)},"id":${jsonText(field.name)}}`)
  return (
    `{"type":${rawType === undefined ? '""' : inner(rawType)},"kind":"${kinds[type.kind]}",` +
    `"typeID":${jsonText(type.id)},"fields":[${fields.join()}],"initializers":[]}`
  )
}

function functionJson(type: FunctionType, inner: (type: CadenceType) => string): string {
  const typeParameters = type.typeParameters.map(({ name, bound }) => {
    return `{"name":${jsonText(name)},"typeBound":${bound === null ? 'null' : inner(bound)}}`
  })
  const parameters = type.parameters.map((parameter) => `{"type":${inner(parameter)},"label":"","id":""}`)
  return (
    `{"kind":"Function","typeID":${jsonText(typeIdOf(type))},"typeParameters":[${typeParameters.join()}],` +
    `"parameters":[${parameters.join()}],"return":${inner(type.returnType)},"purity":"${type.view ? 'view' : ''}"}`
  )
}

function authorizationJson(authorization: Authorization): string {
  const entitlement = (kind: string, id: string): string =>
    `{"type":null,"kind":"${kind}","typeID":${jsonText(id)},"fields":null,"initializers":null}`
  if (authorization.kind === 'none') return '{"kind":"Unauthorized","entitlements":null}'
  if (authorization.kind === 'map') {
    return `{"kind":"EntitlementMapAuthorization","entitlements":[${entitlement('EntitlementMap', authorization.id)}]}`
  }
  const kind = authorization.kind === 'conjunction' ? 'EntitlementConjunctionSet' : 'EntitlementDisjunctionSet'
  const list = authorization.entitlements.map((id) => entitlement('Entitlement', id))
  return `{"kind":"${kind}","entitlements":[${list.join()}]}`
}
