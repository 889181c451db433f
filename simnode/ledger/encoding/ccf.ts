import { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type { ArrayType, CadenceType, CompositeType, DictionaryType, NominalType, CadenceValue } from './cadence.ts'
import {
  addressOf,
  capabilityOf,
  isTypedValue,
  itemsOf,
  pathOf,
  typedValueOf,
  typeOf,
  wrongValue,
  isAbstract,
  collectNominalTypes,
  isInterface,
  partsOf,
} from './cadence.ts'
import { major, writeBigHead, writeBytes, writeHead, writeInteger, writeNil, writeTag, writeText } from './cbor.ts'
import { writeTypeValue, writeInlineType, sortDefinitions, writeDefinitions } from './ccf-types.ts'
import type { DefinitionIds } from './ccf-types.ts'

type CcfWriter = (out: ByteWriter, value: CadenceValue, ids: DefinitionIds) => void

const typeAndValueTag = 130
const bignumTags = { positive: 2, negative: 3 } as const
const domains = { storage: 1, private: 2, public: 3 } as const

const writers = new Map<CadenceType, CcfWriter>()

function ccfWriter(type: CadenceType): CcfWriter {
  const found = writers.get(type)
  if (found !== undefined) return found
  // A recursive type finds this one while its own is being made.
  writers.set(type, (out, value, ids) => made(out, value, ids))
  const made: CcfWriter = makeWriter(type)
  writers.set(type, made)
  return made
}

function makeWriter(type: CadenceType): CcfWriter {
  if (isAbstract(type)) return writeAbstract
  if (typeof type === 'string') return simpleWriter(type)
  switch (type.kind) {
    case 'optional': {
      const element = ccfWriter(type.element)
      return (out, value, ids) => (value === null ? writeNil(out) : element(out, value, ids))
    }
    case 'array':
      return arrayWriter(type)
    case 'range':
      return listWriter('InclusiveRange', ccfWriter(type.element))
    case 'dictionary':
      return dictionaryWriter(type)
    case 'reference':
      return ccfWriter(type.referenced)
    case 'capability':
      return writeCapability
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

function simpleWriter(name: string): CcfWriter {
  if (name === 'Fix128' || name === 'UFix128') return writeFix128
  if (/^U?Int$|^(?:U?Int|Word)(?:128|256)$/.test(name)) return writeBignum
  if (/^(?:U?Int|Word|U?Fix)\d+$/.test(name)) {
    return (out, value) => {
      if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue(name, value)
      writeInteger(out, value)
    }
  }
  switch (name) {
    case 'Void':
      return writeNil
    case 'Bool':
      return (out, value) => out.uint8(value === true ? 0xf5 : 0xf4)
    case 'String':
    case 'Character':
      return (out, value) => {
        if (typeof value !== 'string') throw wrongValue(name, value)
        writeText(out, value)
      }
    case 'Address':
      return writeAddress
    case 'StoragePath':
    case 'PublicPath':
    case 'PrivatePath':
      return writePath
    case 'Type':
      return (out, value) => writeTypeValue(out, typeOf(value))
    default:
      throw new TypeError(`no value is of the type ${name}`)
  }
}

function writeAbstract(out: ByteWriter, value: CadenceValue, ids: DefinitionIds): void {
  if (value === null) {
    writeNil(out)
    return
  }
  const typed = typedValueOf(value)
  writeTag(out, typeAndValueTag)
  writeHead(out, major.array, 2)
  writeInlineType(out, typed.type, ids)
  ccfWriter(typed.type)(out, typed.value, ids)
}

function compositeWriter(type: CompositeType): CcfWriter {
  const fields = type.fields.map((field) => ccfWriter(field.type))
  return (out, value, ids) => {
    const values = itemsOf(type.id, value)
    if (values.length !== fields.length) throw wrongValue(type.id, value)
    writeHead(out, major.array, fields.length)
    for (let i = 0; i < fields.length; i++) (fields[i] as CcfWriter)(out, values[i] as CadenceValue, ids)
  }
}

function arrayWriter({ element, size }: ArrayType): CcfWriter {
  const list = listWriter('array', ccfWriter(element))
  if (element !== 'UInt8') return list
  return (out, value, ids) => {
    if (!(value instanceof Uint8Array)) {
      list(out, value, ids)
      return
    }
    if (size !== undefined && size !== value.length) throw wrongValue(`[UInt8; ${size}]`, value)
    writeByteItems(out, value)
  }
}

function listWriter(name: string, element: CcfWriter): CcfWriter {
  return (out, value, ids) => {
    const items = itemsOf(name, value)
    writeHead(out, major.array, items.length)
    for (const item of items) element(out, item, ids)
  }
}

function writeByteItems(out: ByteWriter, items: Uint8Array): void {
  writeHead(out, major.array, items.length)
  out.reserve(items.length * 2)
  const { bytes } = out
  let at = out.position
  for (let i = 0; i < items.length; i++) {
    const byte = items[i] as number
    if (byte >= 24) bytes[at++] = 24
    bytes[at++] = byte
  }
  out.position = at
}

function dictionaryWriter({ key, value }: DictionaryType): CcfWriter {
  const [writeKey, writeItem] = [ccfWriter(key), ccfWriter(value)]
  return (out, pairs, ids) => {
    const sorted = sortedPairs(key, pairs, ids)
    writeHead(out, major.array, sorted.length * 2)
    for (const pair of sorted) {
      const [pairKey, item] = itemsOf('pair', pair)
      writeKey(out, pairKey as CadenceValue, ids)
      writeItem(out, item as CadenceValue, ids)
    }
  }
}

/** In the chain's order, by encoded key. */
export function sortedPairs(key: CadenceType, pairs: CadenceValue, ids: DefinitionIds): readonly CadenceValue[] {
  const list = itemsOf('dictionary', pairs)
  if (list.length < 2) return list
  const write = ccfWriter(key)
  const encoded = list.map((pair) => {
    const out = new ByteWriter(64)
    write(out, itemsOf('pair', pair)[0] as CadenceValue, ids)
    return { pair, bytes: out.view() }
  })
  return encoded.sort((a, b) => a.bytes.compare(b.bytes)).map(({ pair }) => pair)
}

function writeCapability(out: ByteWriter, value: CadenceValue, ids: DefinitionIds): void {
  if (isTypedValue(value)) {
    writeAbstract(out, value, ids)
    return
  }
  const [address, id] = capabilityOf(value)
  writeHead(out, major.array, 2)
  writeBytes(out, address)
  writeInteger(out, id)
}

function writeAddress(out: ByteWriter, value: CadenceValue): void {
  const address = addressOf(value)
  out.reserve(9)
  const { bytes } = out
  let at = out.position
  bytes[at++] = major.bytes | 8
  for (let i = 0; i < 8; i++) bytes[at++] = address[i] as number
  out.position = at
}

function writePath(out: ByteWriter, value: CadenceValue): void {
  const [domain, identifier] = pathOf(value)
  writeHead(out, major.array, 2)
  writeHead(out, major.unsigned, domains[domain])
  writeText(out, identifier)
}

function writeFix128(out: ByteWriter, value: CadenceValue): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue('Fix128', value)
  const scaled = BigInt.asUintN(128, BigInt(value))
  writeHead(out, major.array, 2)
  writeBigHead(out, major.unsigned, scaled >> 64n)
  writeBigHead(out, major.unsigned, scaled)
}

function writeBignum(out: ByteWriter, value: CadenceValue): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongValue('Int', value)
  writeTag(out, value < 0 ? bignumTags.negative : bignumTags.positive)
  const magnitude = value < 0 ? -1n - BigInt(value) : BigInt(value)
  const digits = magnitude === 0n ? '' : magnitude.toString(16)
  writeBytes(out, Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
}

const messageTags = { definitionsAndValue: 129, typeAndValue: 130 } as const

interface MessagePlan {
  readonly prefix: Buffer
  readonly ids: DefinitionIds
  readonly write: CcfWriter
}

interface TypePlan extends MessagePlan {
  readonly nominal: ReadonlyMap<string, NominalType>
  /** Values may bring types that the message must define. */
  readonly isOpen: boolean
}

const plans = new Map<CadenceType, TypePlan>()

/**
 * Source: https://github.com/onflow/ccf, ccf_specs.md, fully self-describing mode.
 *
 * @throws TypeError for a value of another type
 */
export function writeCcf(out: ByteWriter, type: CadenceType, value: CadenceValue): void {
  let known = plans.get(type)
  if (known === undefined) plans.set(type, (known = typePlan(type)))
  const { prefix, ids, write } = known.isOpen ? planWith(known, type, value) : known
  const { length } = prefix
  out.reserve(length)
  prefix.copy(out.bytes, out.position)
  out.position += length
  write(out, value, ids)
}

function typePlan(type: CadenceType): TypePlan {
  const nominal = new Map<string, NominalType>()
  collectNominalTypes(type, nominal)
  return { ...messagePlan(type, nominal), nominal, isOpen: isOpen(type, new Set()) }
}

function planWith(plan: TypePlan, type: CadenceType, value: CadenceValue): MessagePlan {
  const nominal = new Map(plan.nominal)
  collectTypesOfValues(value, nominal)
  return nominal.size === plan.nominal.size ? plan : messagePlan(type, nominal)
}

function messagePlan(type: CadenceType, nominal: ReadonlyMap<string, NominalType>): MessagePlan {
  const definitions = sortDefinitions(nominal.values())
  const ids = new Map(definitions.map(({ id }, index) => [id, index]))
  const out = new ByteWriter(256)
  writeTag(out, definitions.length === 0 ? messageTags.typeAndValue : messageTags.definitionsAndValue)
  writeHead(out, major.array, 2)
  if (definitions.length > 0) {
    writeDefinitions(out, definitions, ids)
    writeHead(out, major.array, 2)
  }
  writeInlineType(out, type, ids)
  return { prefix: out.view(), ids, write: ccfWriter(type) }
}

const openNames: ReadonlySet<string> = new Set(['AnyStruct', 'AnyResource', 'HashableStruct'])

function isOpen(type: CadenceType, seen: Set<CadenceType>): boolean {
  if (seen.has(type)) return false
  seen.add(type)
  if (typeof type === 'string') return openNames.has(type)
  if (type.kind === 'capability' || type.kind === 'intersection' || isInterface(type)) return true
  return partsOf(type).some((part) => isOpen(part, seen))
}

function collectTypesOfValues(value: CadenceValue, found: Map<string, NominalType>): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (isTypedValue(value)) {
    collectNominalTypes(value.type, found)
    collectTypesOfValues(value.value, found)
  } else if (Array.isArray(value)) {
    for (const item of value as readonly CadenceValue[]) collectTypesOfValues(item, found)
  }
}
