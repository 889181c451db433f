import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import { simpleTypeNames } from '../../../src/flow/ccf/simple-types.ts'
import type { Authorization, CadenceType, NominalType, Field, FunctionType } from './cadence-type.ts'
import { major, writeBytes, writeHead, writeNil, writeTag, writeText } from './cbor.ts'
import { isInterface } from './cadence-type.ts'

/** The numbers by which a message refers to the types that it defines, by type id. */
export type DefinitionIds = ReadonlyMap<string, number>

const simpleNumbers = new Map([...simpleTypeNames].map(([number, name]) => [name, number]))

/** Tags of types that a message defines; CCF specification, `composite-type` and `interface-type`. */
export const nominalTags = {
  struct: 160,
  resource: 161,
  event: 162,
  contract: 163,
  enum: 164,
  attachment: 165,
  'struct-interface': 176,
  'resource-interface': 177,
  'contract-interface': 178,
} as const

const tag = {
  reference: 136,
  simple: 137,
  optional: 138,
  array: 139,
  constantArray: 140,
  dictionary: 141,
  referenceType: 142,
  intersection: 143,
  capability: 144,
  range: 145,
  entitlements: 146,
} as const

/** The number of a built-in type. @throws TypeError for a name that is none */
export function simpleNumber(name: string): number {
  const number = simpleNumbers.get(name)
  if (number === undefined) throw new TypeError(`no built-in type is called ${name}`)
  return number
}

/** The order in which the chain defines types: shorter ids first. */
export function sortDefinitions(types: Iterable<NominalType>): readonly NominalType[] {
  return [...types].sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))
}

/** The list of definitions. */
export function writeDefinitions(out: ByteWriter, types: readonly NominalType[], ids: DefinitionIds): void {
  writeHead(out, major.array, types.length)
  for (const type of types) {
    writeTag(out, nominalTags[type.kind])
    writeHead(out, major.array, isInterface(type) ? 2 : 3)
    writeDefinitionId(out, ids.get(type.id) as number)
    writeText(out, type.id)
    if (isInterface(type)) continue
    writeHead(out, major.array, type.fields.length)
    for (const field of type.fields) {
      writeHead(out, major.array, 2)
      writeText(out, field.name)
      writeInlineType(out, field.type, ids)
    }
  }
}

/** A type within a message that defines what is not built in. */
export function writeInlineType(out: ByteWriter, type: CadenceType, ids: DefinitionIds): void {
  if (typeof type === 'string') {
    writeTag(out, tag.simple)
    writeHead(out, major.unsigned, simpleNumber(type))
    return
  }
  switch (type.kind) {
    case 'optional':
      writeTag(out, tag.optional)
      writeInlineType(out, type.element, ids)
      return
    case 'array':
      writeTag(out, type.size === undefined ? tag.array : tag.constantArray)
      if (type.size !== undefined) {
        writeHead(out, major.array, 2)
        writeHead(out, major.unsigned, type.size)
      }
      writeInlineType(out, type.element, ids)
      return
    case 'dictionary':
      writeTag(out, tag.dictionary)
      writeHead(out, major.array, 2)
      writeInlineType(out, type.key, ids)
      writeInlineType(out, type.value, ids)
      return
    case 'range':
      writeTag(out, tag.range)
      writeInlineType(out, type.element, ids)
      return
    case 'reference':
      writeTag(out, tag.referenceType)
      writeHead(out, major.array, 2)
      writeAuthorization(out, type.authorization, tag.entitlements)
      writeInlineType(out, type.referenced, ids)
      return
    case 'intersection':
      writeTag(out, tag.intersection)
      writeHead(out, major.array, type.members.length)
      for (const member of type.members) writeInlineType(out, member, ids)
      return
    case 'capability':
      writeTag(out, tag.capability)
      writeHead(out, major.array, 1)
      if (type.borrowType === null) writeNil(out)
      else writeInlineType(out, type.borrowType, ids)
      return
    case 'function':
      throw new TypeError('no value is of a function type')
    default: {
      const id = ids.get(type.id)
      if (id === undefined) throw new TypeError(`the message does not define ${type.id}`)
      writeTag(out, tag.reference)
      writeDefinitionId(out, id)
    }
  }
}

/** A number of a definition: its bytes without leading zeros. */
export function writeDefinitionId(out: ByteWriter, id: number): void {
  const digits = id === 0 ? '' : id.toString(16)
  writeBytes(out, Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
}

/** @param setTag of a set of entitlements; that of an entitlement map is the next */
export function writeAuthorization(out: ByteWriter, authorization: Authorization, setTag: number): void {
  if (authorization.kind === 'none') {
    writeNil(out)
    return
  }
  if (authorization.kind === 'map') {
    writeTag(out, setTag + 1)
    writeText(out, authorization.id)
    return
  }
  writeTag(out, setTag)
  writeHead(out, major.array, 2)
  writeHead(out, major.unsigned, authorization.kind === 'conjunction' ? 0 : 1)
  writeHead(out, major.array, authorization.entitlements.length)
  for (const id of authorization.entitlements) writeText(out, id)
}

const valueTag = {
  reference: 184,
  simple: 185,
  optional: 186,
  array: 187,
  constantArray: 188,
  dictionary: 189,
  referenceType: 190,
  intersection: 191,
  capability: 192,
  function: 193,
  range: 194,
  entitlements: 195,
} as const

/** From the valueTag of a type that a message defines to that of the same type as a value. */
const nominalShift = 48

/** A value of type `Type`: it defines what it mentions where it mentions it first. */
export function writeTypeValue(out: ByteWriter, type: CadenceType | null): void {
  if (type === null) writeNil(out)
  else new TypeValueWriter(out).type(type)
}

class TypeValueWriter {
  readonly #out: ByteWriter
  readonly #known = new Map<string, number>()

  constructor(out: ByteWriter) {
    this.#out = out
  }

  type(type: CadenceType): void {
    const out = this.#out
    if (typeof type === 'string') {
      writeTag(out, valueTag.simple)
      writeHead(out, major.unsigned, simpleNumber(type))
      return
    }
    switch (type.kind) {
      case 'optional':
        writeTag(out, valueTag.optional)
        this.type(type.element)
        return
      case 'array':
        writeTag(out, type.size === undefined ? valueTag.array : valueTag.constantArray)
        if (type.size !== undefined) {
          writeHead(out, major.array, 2)
          writeHead(out, major.unsigned, type.size)
        }
        this.type(type.element)
        return
      case 'dictionary':
        writeTag(out, valueTag.dictionary)
        writeHead(out, major.array, 2)
        this.type(type.key)
        this.type(type.value)
        return
      case 'range':
        writeTag(out, valueTag.range)
        this.type(type.element)
        return
      case 'reference':
        writeTag(out, valueTag.referenceType)
        writeHead(out, major.array, 2)
        writeAuthorization(out, type.authorization, valueTag.entitlements)
        this.type(type.referenced)
        return
      case 'intersection':
        writeTag(out, valueTag.intersection)
        writeHead(out, major.array, type.members.length)
        for (const member of type.members) this.type(member)
        return
      case 'capability':
        writeTag(out, valueTag.capability)
        writeHead(out, major.array, 1)
        this.#typeOrNil(type.borrowType)
        return
      case 'function':
        this.#function(type)
        return
      default:
        this.#nominal(type)
    }
  }

  #nominal(type: NominalType): void {
    const out = this.#out
    const known = this.#known.get(type.id)
    if (known !== undefined) {
      writeTag(out, valueTag.reference)
      writeDefinitionId(out, known)
      return
    }
    const id = this.#known.size
    this.#known.set(type.id, id)
    writeTag(out, nominalShift + nominalTags[type.kind])
    writeHead(out, major.array, 5)
    writeDefinitionId(out, id)
    writeText(out, type.id)
    this.#typeOrNil(type.kind === 'enum' ? (type.fields[0]?.type ?? null) : null)
    this.#fields(type.fields)
    writeHead(out, major.array, 0)
  }

  #fields(fields: readonly Field[]): void {
    writeHead(this.#out, major.array, fields.length)
    for (const field of fields) {
      writeHead(this.#out, major.array, 2)
      writeText(this.#out, field.name)
      this.type(field.type)
    }
  }

  #function({ typeParameters, parameters, returnType, view }: FunctionType): void {
    const out = this.#out
    writeTag(out, valueTag.function)
    writeHead(out, major.array, 4)
    writeHead(out, major.array, typeParameters.length)
    for (const { name, bound } of typeParameters) {
      writeHead(out, major.array, 2)
      writeText(out, name)
      this.#typeOrNil(bound)
    }
    writeHead(out, major.array, parameters.length)
    for (const parameter of parameters) {
      writeHead(out, major.array, 3)
      writeText(out, '')
      writeText(out, '')
      this.type(parameter)
    }
    this.type(returnType)
    writeHead(out, major.unsigned, view ? 1 : 0)
  }

  #typeOrNil(type: CadenceType | null): void {
    if (type === null) writeNil(this.#out)
    else this.type(type)
  }
}
