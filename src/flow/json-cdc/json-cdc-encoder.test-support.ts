import { fixedPointTypes, integerTypes } from '../cadence-value.test-support.ts'
import type {
  Authorization,
  CadenceType,
  CadenceValue,
  CapabilityOf,
  Pairs,
  Path,
  TypeOf,
} from '../cadence-value.test-support.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Name order of nodes: `value` before `type` since 2022, the reverse before. */
export type NameOrder = 'sorted' | 'type-first'

/** Encodes a value with the line break that nodes add. */
export function encodeJsonCdc(value: CadenceValue, order: NameOrder): Buffer {
  const json = JSON.stringify(valueNode(value), (_name, node: Json) => ordered(node, order))
  return Buffer.from(`${json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028')}\n`)
}

function ordered(node: Json, order: NameOrder): Json {
  if (order === 'sorted' || typeof node !== 'object' || node === null || Array.isArray(node)) return node
  return Object.fromEntries(Object.entries(node).toReversed())
}

function valueNode(value: CadenceValue): Json {
  const { type, data } = value
  switch (type.kind) {
    case 'simple':
      return simpleNode(type.name, data)
    case 'optional':
      return { value: data === null ? null : valueNode(data as CadenceValue), type: 'Optional' }
    case 'array':
      return { value: (data as CadenceValue[]).map(valueNode), type: 'Array' }
    case 'dictionary': {
      const pairs = (data as Pairs).pairs.map(([key, item]) => ({ key: valueNode(key), value: valueNode(item) }))
      return { value: pairs.toReversed(), type: 'Dictionary' }
    }
    case 'range': {
      const [start, end, step] = (data as CadenceValue[]).map(valueNode)
      return { value: { start: start ?? null, end: end ?? null, step: step ?? null }, type: 'InclusiveRange' }
    }
    case 'capability': {
      const { address, id } = data as CapabilityOf
      const borrowType = type.borrowType === null ? '' : typeNode(type.borrowType, new Set())
      return { value: { borrowType, address: addressText(address), id: String(id) }, type: 'Capability' }
    }
    case 'composite': {
      const fields = type.fields.map((field, index) => {
        return { value: valueNode((data as CadenceValue[])[index] as CadenceValue), name: field.name }
      })
      return { value: { id: type.id, fields }, type: type.form }
    }
    default:
      throw new Error(`no value has the type ${type.kind}`)
  }
}

function simpleNode(name: string, data: CadenceValue['data']): Json {
  if (integerTypes.has(name)) return { value: `${data as bigint}`, type: name }
  const decimals = fixedPointTypes.get(name)?.[2]
  if (decimals !== undefined) return { value: fixedPointText(data as bigint, decimals), type: name }
  switch (name) {
    case 'Void':
      return { type: 'Void' }
    case 'Bool':
      return { value: data === true, type: 'Bool' }
    case 'String':
    case 'Character':
      return { value: data as string, type: name }
    case 'Address':
      return { value: addressText(data as bigint), type: name }
    case 'StoragePath':
    case 'PublicPath':
    case 'PrivatePath': {
      const { domain, identifier } = data as Path
      return { value: { domain, identifier }, type: 'Path' }
    }
    case 'Type': {
      const { stands } = data as TypeOf
      return { value: { staticType: stands === null ? '' : typeNode(stands, new Set()) }, type: 'Type' }
    }
    default:
      return null
  }
}

function fixedPointText(scaled: bigint, decimals: number): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, '0')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function addressText(address: bigint): string {
  return `0x${address.toString(16).padStart(16, '0')}`
}

/** A nominal type that occurs again within a type is encoded as its text. */
function typeNode(type: CadenceType, known: Set<CadenceType>): Json {
  const inner = (element: CadenceType): Json => typeNode(element, known)
  switch (type.kind) {
    case 'simple':
      return { kind: type.name }
    case 'optional':
      return { type: inner(type.element), kind: 'Optional' }
    case 'array':
      if (type.size === undefined) return { type: inner(type.element), kind: 'VariableSizedArray' }
      return { type: inner(type.element), kind: 'ConstantSizedArray', size: type.size }
    case 'dictionary':
      return { key: inner(type.key), value: inner(type.value), kind: 'Dictionary' }
    case 'range':
      return { element: inner(type.element), kind: 'InclusiveRange' }
    case 'reference':
      return { type: inner(type.referenced), kind: 'Reference', authorization: authorizationNode(type.authorization) }
    case 'intersection':
      return { kind: 'Intersection', typeID: 'not read', types: type.members.map(inner) }
    case 'capability':
      return { type: type.borrowType === null ? '' : inner(type.borrowType), kind: 'Capability' }
    case 'function':
      return {
        kind: 'Function',
        typeID: 'not read',
        typeParameters: type.typeParameters.map(({ name, bound }) => {
          return { name, typeBound: bound === null ? null : inner(bound) }
        }),
        parameters: type.parameters.map((parameter, index) => ({ type: inner(parameter), label: '', id: `p${index}` })),
        return: inner(type.returnType),
        purity: type.view ? 'view' : '',
      }
    case 'composite':
    case 'interface': {
      if (known.has(type)) return type.id
      known.add(type)
      const fields = type.kind === 'composite' ? type.fields : []
      return {
        type: type.form === 'Enum' ? { kind: 'UInt8' } : '',
        kind: type.form,
        typeID: type.id,
        fields: fields.map((field) => ({ type: inner(field.type), id: field.name })),
        initializers: type.form === 'Event' ? [[]] : [],
      }
    }
  }
}

function authorizationNode(authorization: Authorization): Json {
  switch (authorization.kind) {
    case 'none':
      return { kind: 'Unauthorized', entitlements: null }
    case 'map':
      return {
        kind: 'EntitlementMapAuthorization',
        entitlements: [entitlementNode('EntitlementMap', authorization.id)],
      }
    default: {
      const kind = authorization.kind === 'conjunction' ? 'EntitlementConjunctionSet' : 'EntitlementDisjunctionSet'
      return { kind, entitlements: authorization.entitlements.map((id) => entitlementNode('Entitlement', id)) }
    }
  }
}

function entitlementNode(kind: string, typeID: string): Json {
  return { type: null, kind, typeID, fields: null, initializers: null }
}
