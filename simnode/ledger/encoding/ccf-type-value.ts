import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type { CadenceType, Field, FunctionType } from './cadence-type.ts'
import { nominalTags, simpleNumber, writeAuthorization, writeDefinitionId } from './ccf-types.ts'
import { major, writeHead, writeNil, writeTag, writeText } from './cbor.ts'
import type { NominalType } from './nominal-types.ts'

const tag = {
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

/** From the tag of a type that a message defines to that of the same type as a value. */
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
      writeTag(out, tag.simple)
      writeHead(out, major.unsigned, simpleNumber(type))
      return
    }
    switch (type.kind) {
      case 'optional':
        writeTag(out, tag.optional)
        this.type(type.element)
        return
      case 'array':
        writeTag(out, type.size === undefined ? tag.array : tag.constantArray)
        if (type.size !== undefined) {
          writeHead(out, major.array, 2)
          writeHead(out, major.unsigned, type.size)
        }
        this.type(type.element)
        return
      case 'dictionary':
        writeTag(out, tag.dictionary)
        writeHead(out, major.array, 2)
        this.type(type.key)
        this.type(type.value)
        return
      case 'range':
        writeTag(out, tag.range)
        this.type(type.element)
        return
      case 'reference':
        writeTag(out, tag.referenceType)
        writeHead(out, major.array, 2)
        writeAuthorization(out, type.authorization, tag.entitlements)
        this.type(type.referenced)
        return
      case 'intersection':
        writeTag(out, tag.intersection)
        writeHead(out, major.array, type.members.length)
        for (const member of type.members) this.type(member)
        return
      case 'capability':
        writeTag(out, tag.capability)
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
      writeTag(out, tag.reference)
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
    writeTag(out, tag.function)
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
