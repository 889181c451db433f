import { PayloadError, payloadLimits, dictionaryOf, payloadText, setField } from '../payload-value.ts'
import type { PayloadErrorCode, PayloadFields, PayloadValue } from '../payload-value.ts'
import { typeId, byteFieldsOf } from '../type-id.ts'

export type JsonNode = string | number | boolean | null | JsonNode[] | JsonObject

export interface JsonObject {
  [name: string]: JsonNode | undefined
}

export function malformed(
  message: string,
  code: PayloadErrorCode = 'json-cdc-malformed',
  cause?: unknown,
): PayloadError {
  return new PayloadError(code, message, 0, cause)
}

export function asObject(node: JsonNode | undefined): JsonObject {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) throw malformed('expected an object')
  return node
}

export function asList(node: JsonNode | undefined): JsonNode[] {
  if (!Array.isArray(node)) throw malformed('expected a list')
  return node
}

export function asText(node: JsonNode | undefined): string {
  if (typeof node !== 'string') throw malformed('expected text')
  return node
}

/**
 * Null for a type unknown to the node (empty string). Old payloads have the text itself; recursive
 * types have the text in the inner place.
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
      // Nominal types have a type id; simple types are their kind.
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
      throw malformed(`unknown authorization: ${kind}`)
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

const integerTypes: ReadonlySet<string> = new Set(
  ['Int', 'UInt', 'Word'].flatMap((name) => ['', '8', '16', '32', '64', '128', '256'].map((bits) => name + bits)),
)

const decimalsOf: ReadonlyMap<string, number> = new Map([
  ['Fix64', 8],
  ['UFix64', 8],
  ['Fix128', 24],
  ['UFix128', 24],
])

const integer = /^-?\d+$/
const fixedPoint = /^(-?\d+)\.(\d+)$/
const addressDigits = /^(?:0x)?([0-9a-f]{1,16})$/i

/** Accepts any order of names, which has changed over the years. */
export function flattenJsonCdc(node: JsonNode | undefined, depth: number): PayloadValue {
  if (depth > payloadLimits.depth) throw malformed(`nested deeper than ${payloadLimits.depth}`, 'payload-too-deep')
  // Nodes write null for a value without encoding, such as a circular reference.
  if (node === null) return null
  const { type: kind, value } = asObject(node)
  const type = asText(kind)
  if (integerTypes.has(type)) return integerText(value)
  const decimals = decimalsOf.get(type)
  if (decimals !== undefined) return fixedPointText(value, decimals)
  switch (type) {
    case 'Void':
      return null
    case 'Bool':
      if (typeof value !== 'boolean') throw malformed('expected a boolean')
      return value
    case 'String':
    case 'Character':
      return payloadText(asText(value))
    case 'Address':
      return addressText(value)
    case 'Optional':
      return value === null ? null : flattenJsonCdc(value, depth + 1)
    case 'Array':
      return flattenArray(asList(value), depth)
    case 'Dictionary':
      return flattenDictionary(asList(value), depth)
    case 'Struct':
    case 'Resource':
    case 'Contract':
    case 'Attachment':
    case 'Event':
      return flattenComposite(asObject(value), type, depth)
    case 'Enum':
      return flattenEnum(asObject(value), depth)
    case 'Path':
      return pathText(asObject(value))
    case 'Type':
      return typeValueText(asObject(value)['staticType'])
    case 'Function':
      return typeValueText(asObject(value)['functionType'])
    case 'Capability':
      return flattenCapability(asObject(value))
    case 'InclusiveRange':
      return flattenInclusiveRange(asObject(value), depth)
    case 'Link':
      return flattenLink(asObject(value))
    default:
      throw malformed(`unknown type: ${type}`)
  }
}

export function isJsonCdcEvent(node: JsonNode): boolean {
  const { type } = asObject(node)
  return type === 'Event' || type === 'Struct' || type === 'Resource' || type === 'Contract' || type === 'Attachment'
}

function integerText(value: JsonNode | undefined): string {
  const text = asText(value)
  if (!integer.test(text)) throw malformed('not an integer')
  return text
}

/** Older payloads omit trailing decimals. */
function fixedPointText(value: JsonNode | undefined, decimals: number): string {
  const match = fixedPoint.exec(asText(value))
  const [, whole, fraction] = match ?? []
  if (whole === undefined || fraction === undefined || fraction.length > decimals) {
    throw malformed('not a fixed-point number')
  }
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

function addressText(value: JsonNode | undefined): string {
  const digits = addressDigits.exec(asText(value))?.[1]
  if (digits === undefined) throw malformed('not an address')
  return `0x${digits.toLowerCase().padStart(16, '0')}`
}

/** JSON-CDC has no other type information. */
function flattenArray(items: JsonNode[], depth: number): PayloadValue {
  if (items.length > 0 && items.every(isUInt8)) {
    const bytes = Buffer.alloc(items.length)
    for (const [at, item] of items.entries()) bytes[at] = byteOf(asObject(item)['value'])
    return `0x${bytes.toString('hex')}`
  }
  return items.map((item) => flattenJsonCdc(item, depth + 1))
}

function isUInt8(item: JsonNode): boolean {
  return typeof item === 'object' && item !== null && !Array.isArray(item) && item['type'] === 'UInt8'
}

function byteOf(value: JsonNode | undefined): number {
  const byte = Number(integerText(value))
  if (byte < 0 || byte > 0xff) throw malformed('not a value of UInt8')
  return byte
}

function flattenDictionary(items: JsonNode[], depth: number): PayloadValue {
  return dictionaryOf(
    items.map((item): [PayloadValue, PayloadValue] => {
      const { key, value } = asObject(item)
      return [flattenJsonCdc(key, depth + 1), flattenJsonCdc(value, depth + 1)]
    }),
  )
}

function flattenComposite(composite: JsonObject, type: string, depth: number): PayloadFields {
  const byteFields = type === 'Event' ? byteFieldsOf(asText(composite['id'])) : undefined
  const fields: PayloadFields = {}
  for (const node of asList(composite['fields'])) {
    const field = asObject(node)
    const name = fieldName(field)
    if (Object.hasOwn(fields, name)) throw malformed('duplicate field name')
    const bytes = byteFields?.has(name) === true && isEmptyArray(field['value'])
    setField(fields, name, bytes ? '0x' : flattenJsonCdc(field['value'], depth + 1))
  }
  return fields
}

/** Attachments are fields without a name; their type is the name. */
function fieldName(field: JsonObject): string {
  const name = payloadText(asText(field['name']))
  if (name !== '') return name
  const { type, value } = asObject(field['value'])
  return type === 'Attachment' ? payloadText(asText(asObject(value)['id'])) : name
}

function isEmptyArray(node: JsonNode | undefined): boolean {
  const { type, value } = asObject(node)
  return type === 'Array' && Array.isArray(value) && value.length === 0
}

function flattenEnum(composite: JsonObject, depth: number): PayloadValue {
  const [field, ...others] = asList(composite['fields'])
  if (field === undefined || others.length > 0) throw malformed('an enum must have one field')
  return flattenJsonCdc(asObject(field)['value'], depth + 1)
}

function pathText(path: JsonObject): string {
  return payloadText(`/${asText(path['domain'])}/${asText(path['identifier'])}`)
}

function typeValueText(node: JsonNode | undefined): string | null {
  const text = nullableTypeText(node)
  return text === null ? null : payloadText(text)
}

/** Before Cadence 1.0 a capability had a path and no id. */
function flattenCapability(capability: JsonObject): PayloadFields {
  const { id, path } = capability
  const fields: PayloadFields = {
    id: id === undefined ? null : integerText(id),
    address: addressText(capability['address']),
    borrowType: typeValueText(capability['borrowType']),
  }
  if (path !== undefined && path !== null && path !== '') fields['path'] = flattenPath(path)
  return fields
}

/** The oldest payloads have the path as text. */
function flattenPath(node: JsonNode | undefined): PayloadValue {
  if (typeof node === 'string') return payloadText(node)
  const { type, value } = asObject(node)
  if (type !== 'Path') throw malformed('expected a path')
  return pathText(asObject(value))
}

function flattenInclusiveRange(range: JsonObject, depth: number): PayloadFields {
  return {
    start: flattenJsonCdc(range['start'], depth + 1),
    end: flattenJsonCdc(range['end'], depth + 1),
    step: flattenJsonCdc(range['step'], depth + 1),
  }
}

/** The predecessor of capabilities before Cadence 1.0. */
function flattenLink(link: JsonObject): PayloadFields {
  return { targetPath: flattenPath(link['targetPath']), borrowType: typeValueText(link['borrowType']) }
}
