import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type {
  Authorization,
  CadenceType,
  FunctionType,
  NominalType,
  ArrayType,
  CompositeType,
  DictionaryType,
  CadenceValue,
} from './cadence.ts'
import {
  typeIdOf,
  isAbstract,
  addressOf,
  capabilityOf,
  isTypedValue,
  itemsOf,
  pathOf,
  typedValueOf,
  typeOf,
  wrongValue,
} from './cadence.ts'
import { addressDigits } from '../../../src/flow/address.ts'
import { sortedPairs } from './ccf.ts'

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** Escaped by Go's encoder too, for HTML. */
const unsafe = /[<>&\u2028\u2029]/g

/** Shorter texts are copied by character, which is faster than a call into the runtime. */
const shortText = 64

function jsonText(text: string): string {
  return JSON.stringify(text).replace(unsafe, (mark) => {
    return escapes[mark] ?? `\\u${mark.charCodeAt(0).toString(16)}`
  })
}

function writeJsonText(out: ByteWriter, text: string): void {
  if (text.length > shortText || !writePlainText(out, text)) out.utf8(jsonText(text))
}

/** @returns false, with nothing written, for characters to escape */
function writePlainText(out: ByteWriter, text: string): boolean {
  const { length } = text
  out.reserve(length + 2)
  const { bytes } = out
  let at = out.position
  bytes[at++] = 0x22
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (
      code < 0x20 ||
      code > 0x7e ||
      code === 0x22 ||
      code === 0x5c ||
      code === 0x26 ||
      code === 0x3c ||
      code === 0x3e
    ) {
      return false
    }
    bytes[at++] = code
  }
  bytes[at++] = 0x22
  out.position = at
  return true
}

function writeAscii(out: ByteWriter, text: string): void {
  const { length } = text
  out.reserve(length)
  const { bytes } = out
  let at = out.position
  for (let i = 0; i < length; i++) bytes[at++] = text.charCodeAt(i)
  out.position = at
}

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

/** A repeated nominal type is its id. */
function typeJson(type: CadenceType, known = new Set<string>()): string {
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

type JsonWriter = (out: ByteWriter, value: CadenceValue) => void

const writers = new Map<CadenceType, JsonWriter>()
const byteItems = Array.from({ length: 256 }, (_, byte) => Buffer.from(`{"value":"${byte}","type":"UInt8"}`))
const formNames = {
  struct: 'Struct',
  resource: 'Resource',
  event: 'Event',
  contract: 'Contract',
  enum: 'Enum',
  attachment: 'Attachment',
} as const

/**
 * Without the line break that nodes write after events.
 *
 * @throws TypeError for a value of another type
 */
export function writeJsonCdc(out: ByteWriter, type: CadenceType, value: CadenceValue): void {
  jsonWriter(type)(out, value)
}

function jsonWriter(type: CadenceType): JsonWriter {
  const found = writers.get(type)
  if (found !== undefined) return found
  // A recursive type finds this one while its own is being made.
  writers.set(type, (out, value) => made(out, value))
  const made: JsonWriter = makeWriter(type)
  writers.set(type, made)
  return made
}

function makeWriter(type: CadenceType): JsonWriter {
  if (isAbstract(type)) return writeAbstract
  if (typeof type === 'string') return simpleWriter(type)
  switch (type.kind) {
    case 'optional': {
      const element = jsonWriter(type.element)
      // CCF does not say which of nested optionals is empty; nodes take the innermost.
      const isOuter = typeof type.element === 'object' && type.element.kind === 'optional'
      return enclosed('{"value":', ',"type":"Optional"}', (out, value) => {
        if (value === null && !isOuter) writeAscii(out, 'null')
        else element(out, value)
      })
    }
    case 'array':
      return arrayWriter(type)
    case 'range':
      return rangeWriter(jsonWriter(type.element))
    case 'dictionary':
      return dictionaryWriter(type)
    case 'reference':
      return jsonWriter(type.referenced)
    case 'capability': {
      const borrowType = type.borrowType === null ? '""' : typeJson(type.borrowType)
      return (out, value) => {
        if (isTypedValue(value)) writeAbstract(out, value)
        else writeCapability(out, borrowType, value)
      }
    }
    case 'struct':
    case 'resource':
    case 'event':
    case 'contract':
    case 'enum':
    case 'attachment':
      return compositeWriter(type)
    default:
      throw new TypeError(`no value is of the type ${type.kind}`)
  }
}

function simpleWriter(name: string): JsonWriter {
  const [before, after] = ['{"value":"', `","type":"${name}"}`]
  if (/^(?:U?Int|Word)\d*$/.test(name)) {
    return enclosed(before, after, (out, value) => {
      if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue(name, value)
      writeAscii(out, value.toString())
    })
  }
  if (/^U?Fix\d+$/.test(name)) {
    const decimals = name.endsWith('128') ? 24 : 8
    return enclosed(before, after, (out, value) => {
      if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue(name, value)
      writeAscii(out, fixedPointText(value, decimals))
    })
  }
  switch (name) {
    case 'Void':
      return (out) => writeAscii(out, '{"type":"Void"}')
    case 'Bool':
      return (out, value) => writeAscii(out, `{"value":${value === true},"type":"Bool"}`)
    case 'String':
    case 'Character':
      return enclosed('{"value":', `,"type":"${name}"}`, (out, value) => {
        if (typeof value !== 'string') throw wrongValue(name, value)
        writeJsonText(out, value)
      })
    case 'Address':
      return enclosed(before, after, (out, value) => writeAscii(out, `0x${addressDigits(addressOf(value))}`))
    case 'StoragePath':
    case 'PublicPath':
    case 'PrivatePath':
      return (out, value) => {
        const [domain, identifier] = pathOf(value)
        out.utf8(`{"value":{"domain":"${domain}","identifier":${jsonText(identifier)}},"type":"Path"}`)
      }
    case 'Type':
      return (out, value) => {
        const type = typeOf(value)
        out.utf8(`{"value":{"staticType":${type === null ? '""' : typeJson(type)}},"type":"Type"}`)
      }
    default:
      throw new TypeError(`no value is of the type ${name}`)
  }
}

function enclosed(before: string, after: string, inner: JsonWriter): JsonWriter {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  return (out, value) => {
    out.raw(head)
    inner(out, value)
    out.raw(tail)
  }
}

function writeAbstract(out: ByteWriter, value: CadenceValue): void {
  if (value === null) {
    writeAscii(out, 'null')
    return
  }
  const typed = typedValueOf(value)
  writeJsonCdc(out, typed.type, typed.value)
}

function compositeWriter(type: CompositeType): JsonWriter {
  const fields = type.fields.map((field) => jsonWriter(field.type))
  const head = Buffer.from(`{"value":{"id":${jsonText(type.id)},"fields":[`)
  const ends = type.fields.map(({ name }, index) => {
    return Buffer.from(`,"name":${jsonText(name)}}${index === type.fields.length - 1 ? '' : ',{"value":'}`)
  })
  const tail = Buffer.from(`]},"type":"${formNames[type.kind]}"}`)
  return (out, value) => {
    const values = itemsOf(type.id, value)
    if (values.length !== fields.length) throw wrongValue(type.id, value)
    out.raw(head)
    if (fields.length > 0) writeAscii(out, '{"value":')
    for (let i = 0; i < fields.length; i++) {
      ;(fields[i] as JsonWriter)(out, values[i] as CadenceValue)
      out.raw(ends[i] as Buffer)
    }
    out.raw(tail)
  }
}

function arrayWriter({ element, size }: ArrayType): JsonWriter {
  const write = jsonWriter(element)
  return enclosed('{"value":[', '],"type":"Array"}', (out, value) => {
    if (element === 'UInt8' && value instanceof Uint8Array) {
      if (size !== undefined && size !== value.length) throw wrongValue(`[UInt8; ${size}]`, value)
      value.forEach((byte, index) => {
        if (index > 0) writeAscii(out, ',')
        out.raw(byteItems[byte] as Buffer)
      })
      return
    }
    itemsOf('array', value).forEach((item, index) => {
      if (index > 0) writeAscii(out, ',')
      write(out, item)
    })
  })
}

function dictionaryWriter({ key, value }: DictionaryType): JsonWriter {
  const [writeKey, writeItem] = [jsonWriter(key), jsonWriter(value)]
  return enclosed('{"value":[', '],"type":"Dictionary"}', (out, pairs) => {
    sortedPairs(key, pairs, new Map()).forEach((pair, index) => {
      const [pairKey, item] = itemsOf('pair', pair)
      writeAscii(out, index > 0 ? ',{"key":' : '{"key":')
      writeKey(out, pairKey as CadenceValue)
      writeAscii(out, ',"value":')
      writeItem(out, item as CadenceValue)
      writeAscii(out, '}')
    })
  })
}

function rangeWriter(element: JsonWriter): JsonWriter {
  return (out, value) => {
    const [start, end, step] = itemsOf('InclusiveRange', value)
    writeAscii(out, '{"value":{"start":')
    element(out, start as CadenceValue)
    writeAscii(out, ',"end":')
    element(out, end as CadenceValue)
    writeAscii(out, ',"step":')
    element(out, step as CadenceValue)
    writeAscii(out, '},"type":"InclusiveRange"}')
  }
}

function writeCapability(out: ByteWriter, borrowType: string, value: CadenceValue): void {
  const [address, id] = capabilityOf(value)
  const digits = addressDigits(address)
  out.utf8(`{"value":{"borrowType":${borrowType},"address":"0x${digits}","id":"${id}"},"type":"Capability"}`)
}

function fixedPointText(scaled: number | bigint, decimals: number): string {
  const digits = (scaled < 0 ? -scaled : scaled).toString().padStart(decimals + 1, '0')
  return `${scaled < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
