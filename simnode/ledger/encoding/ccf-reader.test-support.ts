import { simpleTypeNames } from '../../../src/flow/ccf/type-value.ts'
import type {
  Authorization,
  CadenceType,
  Field,
  InterfaceType,
  SimpleTypeName,
  CadenceValue,
  TypedValue,
} from './cadence.ts'
import { isAbstract } from './cadence.ts'

/** A CBOR data item: `tag` is that of a tagged one. */
type Item = null | boolean | bigint | string | Buffer | Item[] | { tag: number; item: Item }

/** Reads CCF into types and values, field by field as the specification says it, to encode them again. */
export function readCcf(message: Buffer): TypedValue {
  const { tag, item } = tagged(new Cbor(message).item())
  if (tag === 130) return new CcfReader([]).typed(item)
  const [definitions, typeAndValue] = list(item)
  return new CcfReader(list(definitions)).typed(typeAndValue)
}

class Cbor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  item(): Item {
    const first = this.#bytes.readUInt8(this.#at++)
    const [major, minor] = [first >> 5, first & 31]
    if (major === 7) return minor === 22 ? null : minor === 21
    const argument = this.#argument(minor)
    const count = Number(argument)
    switch (major) {
      case 0:
        return argument
      case 1:
        return -1n - argument
      case 2:
        return this.#take(count)
      case 3:
        return this.#take(count).toString()
      case 4:
        return Array.from({ length: count }, () => this.item())
      case 6:
        return { tag: count, item: this.item() }
      default:
        throw new Error(`major type ${major}`)
    }
  }

  #argument(minor: number): bigint {
    if (minor < 24) return BigInt(minor)
    return BigInt(`0x${this.#take(2 ** (minor - 24)).toString('hex')}`)
  }

  #take(count: number): Buffer {
    return this.#bytes.subarray(this.#at, (this.#at += count))
  }
}

const compositeKinds = ['struct', 'resource', 'event', 'contract', 'enum', 'attachment'] as const
const interfaceKinds = ['struct-interface', 'resource-interface', 'contract-interface'] as const
const domains = ['', 'storage', 'private', 'public']

class CcfReader {
  readonly #types = new Map<string, CadenceType>()

  constructor(definitions: Item[]) {
    for (const definition of definitions) {
      const { tag, item } = tagged(definition)
      const [id, typeId] = list(item)
      const kind = tag < 176 ? compositeKinds[tag - 160] : interfaceKinds[tag - 176]
      this.#types.set(hex(id), { kind, id: typeId, fields: [] } as unknown as CadenceType)
    }
    for (const definition of definitions) {
      const [id, , fields] = list(tagged(definition).item)
      const type = this.#types.get(hex(id)) as unknown as { fields: Field[] }
      if (fields !== undefined) type.fields = this.#fields(fields, (item) => this.inline(item))
    }
  }

  typed(item: Item | undefined): TypedValue {
    const [type, value] = list(item)
    const read = this.inline(type)
    return { type: read, value: this.value(read, value as Item) }
  }

  inline(item: Item | undefined): CadenceType {
    return this.#type(
      item,
      136,
      (inner) => this.#types.get(hex(inner)) as CadenceType,
      (inner) => this.inline(inner),
    )
  }

  /** @param base the tag of references; the other types have the tags that follow, in the same order for both uses */
  #type(
    from: Item | undefined,
    base: number,
    reference: (item: Item) => CadenceType,
    inner: (item: Item) => CadenceType,
  ): CadenceType {
    const { tag, item } = tagged(from)
    const parts = Array.isArray(item) ? item : []
    const part = (index: number): Item => parts[index] as Item
    switch (tag - base) {
      case 0:
        return reference(item)
      case 1:
        return simpleTypeNames.get(Number(item)) as SimpleTypeName
      case 2:
        return { kind: 'optional', element: inner(item) }
      case 3:
        return { kind: 'array', element: inner(item) }
      case 4:
        return { kind: 'array', size: Number(part(0)), element: inner(part(1)) }
      case 5:
        return { kind: 'dictionary', key: inner(part(0)), value: inner(part(1)) }
      case 6:
        return { kind: 'reference', authorization: authorization(part(0)), referenced: inner(part(1)) }
      case 7:
        return { kind: 'intersection', members: parts.map(inner) as InterfaceType[] }
      case 8:
        return { kind: 'capability', borrowType: part(0) === null ? null : inner(part(0)) }
      case 9:
        if (base === 136) return { kind: 'range', element: inner(item) }
    }
    if (tag === 194) return { kind: 'range', element: inner(item) }
    if (tag !== 193) throw new Error(`tag ${tag} is not of a type`)
    return {
      kind: 'function',
      typeParameters: list(part(0)).map((parameter) => {
        const [name, bound] = list(parameter)
        return { name: name as string, bound: bound === null ? null : inner(bound as Item) }
      }),
      parameters: list(part(1)).map((parameter) => inner(list(parameter)[2] as Item)),
      returnType: inner(part(2)),
      view: part(3) === 1n,
    }
  }

  value(type: CadenceType, item: Item): CadenceValue {
    if (isAbstract(type)) return item === null ? null : this.typed(tagged(item).item)
    if (typeof type === 'string') return this.#simple(type, item)
    switch (type.kind) {
      case 'optional':
        return item === null ? null : this.value(type.element, item)
      case 'array':
      case 'range': {
        const values = list(item).map((element) => this.value(type.element, element))
        return type.element === 'UInt8' && type.kind === 'array' ? Buffer.from(values as number[]) : values
      }
      case 'dictionary': {
        const flat = list(item)
        return Array.from({ length: flat.length / 2 }, (_, pair) => [
          this.value(type.key, flat[pair * 2] as Item),
          this.value(type.value, flat[pair * 2 + 1] as Item),
        ])
      }
      case 'reference':
        return this.value(type.referenced, item)
      case 'capability':
        return Array.isArray(item) ? (item as CadenceValue[]) : this.typed(tagged(item).item)
      case 'struct':
      case 'resource':
      case 'event':
      case 'contract':
      case 'enum':
      case 'attachment':
        return type.fields.map((field, index) => this.value(field.type, list(item)[index] as Item))
      default:
        throw new Error(`no value has the type ${type.kind}`)
    }
  }

  #simple(name: SimpleTypeName, item: Item): CadenceValue {
    if (name === 'Type') return { staticType: item === null ? null : this.#typeValue(item, new Map()) }
    if (name.endsWith('Path'))
      return `/${list(item)
        .map((part) => (typeof part === 'string' ? part : domains[Number(part)]))
        .join('/')}`
    if (name.endsWith('Fix128')) {
      const [high, low] = list(item) as bigint[]
      const scaled = ((high as bigint) << 64n) | (low as bigint)
      return name === 'Fix128' ? BigInt.asIntN(128, scaled) : scaled
    }
    if (typeof item === 'bigint') return Number.isSafeInteger(Number(item)) ? Number(item) : item
    if (typeof item !== 'object' || item === null || Buffer.isBuffer(item)) return item
    const { tag, item: digits } = tagged(item)
    const magnitude = BigInt(`0x0${hex(digits)}`)
    return tag === 2 ? magnitude : -1n - magnitude
  }

  #typeValue(from: Item, known: Map<string, CadenceType>): CadenceType {
    const { tag, item } = tagged(from)
    const inner = (part: Item): CadenceType => this.#typeValue(part, known)
    if (tag < 208) return this.#type(from, 184, (id) => known.get(hex(id)) as CadenceType, inner)
    const [id, typeId, , fields] = list(item)
    const kind = tag < 224 ? compositeKinds[tag - 208] : interfaceKinds[tag - 224]
    const type = { kind, id: typeId, fields: [] as Field[] }
    known.set(hex(id), type as unknown as CadenceType)
    type.fields = this.#fields(fields, inner)
    return type as unknown as CadenceType
  }

  #fields(fields: Item | undefined, inner: (item: Item) => CadenceType): Field[] {
    return list(fields).map((field) => {
      const [name, type] = list(field)
      return { name: name as string, type: inner(type as Item) }
    })
  }
}

function authorization(item: Item): Authorization {
  if (item === null) return { kind: 'none' }
  const { tag, item: content } = tagged(item)
  if (tag % 2 === (tag < 184 ? 1 : 0)) return { kind: 'map', id: content as string }
  const [kind, entitlements] = list(content)
  return { kind: kind === 0n ? 'conjunction' : 'disjunction', entitlements: list(entitlements) as string[] }
}

function tagged(item: Item | undefined): { tag: number; item: Item } {
  if (typeof item !== 'object' || item === null || !('tag' in item)) throw new Error('a tag was expected')
  return item
}

function list(item: Item | undefined): Item[] {
  if (!Array.isArray(item)) throw new Error('a list was expected')
  return item
}

function hex(item: Item | undefined): string {
  if (!Buffer.isBuffer(item)) throw new Error('bytes were expected')
  return item.toString('hex')
}
