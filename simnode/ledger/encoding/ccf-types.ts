import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import { simpleTypeNames } from '../../../src/flow/ccf/type-value.ts'
import type { Authorization, CadenceType, Field, FunctionType, NominalType } from './cadence.ts'
import { isInterface } from './cadence.ts'
import { major, writeBytes, writeHead, writeNil, writeTag, writeText } from './cbor.ts'

export type DefinitionIds = ReadonlyMap<string, number>

const simpleNumbers = new Map([...simpleTypeNames].map(([number, name]) => [name, number]))

/** `inline` within a message that defines its nominal types, `value` for values of type `Type`. */
const tags = {
  inline: {
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
  },
  value: {
    reference: 184,
    simple: 185,
    optional: 186,
    array: 187,
    constantArray: 188,
    dictionary: 189,
    referenceType: 190,
    intersection: 191,
    capability: 192,
    range: 194,
    entitlements: 195,
  },
} as const
const functionTag = 193

/** CCF specification, `composite-type` and `interface-type`. */
const nominalTags = {
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
/** From the tag of a definition to that of the same type within a type value. */
const nominalShift = 48

/** Shorter ids first, as on the chain. */
export function sortDefinitions(types: Iterable<NominalType>): readonly NominalType[] {
  return [...types].sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))
}

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

/** @throws TypeError for an undefined type */
export function writeInlineType(out: ByteWriter, type: CadenceType, ids: DefinitionIds): void {
  new InlineTypeWriter(out, ids).type(type)
}

/** Defines nominal types at their first mention. */
export function writeTypeValue(out: ByteWriter, type: CadenceType | null): void {
  if (type === null) writeNil(out)
  else new TypeValueWriter(out).type(type)
}

abstract class TypeWriter {
  protected readonly out: ByteWriter
  readonly #tags: (typeof tags)['inline' | 'value']

  constructor(out: ByteWriter, form: 'inline' | 'value') {
    this.out = out
    this.#tags = tags[form]
  }

  protected abstract nominal(type: NominalType): void
  protected abstract functionType(type: FunctionType): void

  type(type: CadenceType): void {
    const out = this.out
    if (typeof type === 'string') {
      const number = simpleNumbers.get(type)
      if (number === undefined) throw new TypeError(`no built-in type is called ${type}`)
      writeTag(out, this.#tags.simple)
      writeHead(out, major.unsigned, number)
      return
    }
    switch (type.kind) {
      case 'optional':
        writeTag(out, this.#tags.optional)
        this.type(type.element)
        return
      case 'array':
        writeTag(out, type.size === undefined ? this.#tags.array : this.#tags.constantArray)
        if (type.size !== undefined) {
          writeHead(out, major.array, 2)
          writeHead(out, major.unsigned, type.size)
        }
        this.type(type.element)
        return
      case 'dictionary':
        writeTag(out, this.#tags.dictionary)
        writeHead(out, major.array, 2)
        this.type(type.key)
        this.type(type.value)
        return
      case 'range':
        writeTag(out, this.#tags.range)
        this.type(type.element)
        return
      case 'reference':
        writeTag(out, this.#tags.referenceType)
        writeHead(out, major.array, 2)
        writeAuthorization(out, type.authorization, this.#tags.entitlements)
        this.type(type.referenced)
        return
      case 'intersection':
        writeTag(out, this.#tags.intersection)
        writeHead(out, major.array, type.members.length)
        for (const member of type.members) this.type(member)
        return
      case 'capability':
        writeTag(out, this.#tags.capability)
        writeHead(out, major.array, 1)
        this.typeOrNil(type.borrowType)
        return
      case 'function':
        this.functionType(type)
        return
      default:
        this.nominal(type)
    }
  }

  protected typeOrNil(type: CadenceType | null): void {
    if (type === null) writeNil(this.out)
    else this.type(type)
  }

  protected reference(id: number): void {
    writeTag(this.out, this.#tags.reference)
    writeDefinitionId(this.out, id)
  }
}

class InlineTypeWriter extends TypeWriter {
  readonly #ids: DefinitionIds

  constructor(out: ByteWriter, ids: DefinitionIds) {
    super(out, 'inline')
    this.#ids = ids
  }

  protected override nominal({ id }: NominalType): void {
    const number = this.#ids.get(id)
    if (number === undefined) throw new TypeError(`the message does not define ${id}`)
    this.reference(number)
  }

  protected override functionType(): void {
    throw new TypeError('no value is of a function type')
  }
}

class TypeValueWriter extends TypeWriter {
  readonly #known = new Map<string, number>()

  constructor(out: ByteWriter) {
    super(out, 'value')
  }

  protected override nominal(type: NominalType): void {
    const { out } = this
    const known = this.#known.get(type.id)
    if (known !== undefined) {
      this.reference(known)
      return
    }
    const id = this.#known.size
    this.#known.set(type.id, id)
    writeTag(out, nominalShift + nominalTags[type.kind])
    writeHead(out, major.array, 5)
    writeDefinitionId(out, id)
    writeText(out, type.id)
    this.typeOrNil(type.kind === 'enum' ? (type.fields[0]?.type ?? null) : null)
    this.#fields(type.fields)
    writeHead(out, major.array, 0)
  }

  #fields(fields: readonly Field[]): void {
    writeHead(this.out, major.array, fields.length)
    for (const field of fields) {
      writeHead(this.out, major.array, 2)
      writeText(this.out, field.name)
      this.type(field.type)
    }
  }

  protected override functionType({ typeParameters, parameters, returnType, view }: FunctionType): void {
    const { out } = this
    writeTag(out, functionTag)
    writeHead(out, major.array, 4)
    writeHead(out, major.array, typeParameters.length)
    for (const { name, bound } of typeParameters) {
      writeHead(out, major.array, 2)
      writeText(out, name)
      this.typeOrNil(bound)
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
}

/** Without leading zeros. */
function writeDefinitionId(out: ByteWriter, id: number): void {
  const digits = id === 0 ? '' : id.toString(16)
  writeBytes(out, Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
}

/** @param setTag that of an entitlement map is the next */
function writeAuthorization(out: ByteWriter, authorization: Authorization, setTag: number): void {
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
