import fc from 'fast-check'
import type { GeneratorValue } from 'fast-check'

/**
 * Cadence types and values for tests, before encoding. A value has its own type, which differs from
 * the declared one for abstract, reference and interface types.
 */
export type CadenceType =
  | SimpleType
  | CompositeType
  | InterfaceType
  | { kind: 'optional'; element: CadenceType }
  | { kind: 'array'; element: CadenceType; size?: number }
  | { kind: 'dictionary'; key: CadenceType; value: CadenceType }
  | { kind: 'range'; element: CadenceType }
  | { kind: 'reference'; authorization: Authorization; referenced: CadenceType }
  | { kind: 'intersection'; members: CadenceType[] }
  | { kind: 'capability'; borrowType: CadenceType | null }
  | FunctionType

export interface SimpleType {
  kind: 'simple'
  name: string
}

export interface CompositeType {
  kind: 'composite'
  form: 'Struct' | 'Resource' | 'Event' | 'Contract' | 'Enum' | 'Attachment'
  id: string
  fields: Array<{ name: string; type: CadenceType }>
}

export interface InterfaceType {
  kind: 'interface'
  form: 'StructInterface' | 'ResourceInterface' | 'ContractInterface'
  id: string
}

export interface FunctionType {
  kind: 'function'
  view: boolean
  typeParameters: Array<{ name: string; bound: CadenceType | null }>
  parameters: CadenceType[]
  returnType: CadenceType
}

export type Authorization =
  | { kind: 'none' }
  | { kind: 'conjunction' | 'disjunction'; entitlements: string[] }
  | { kind: 'map'; id: string }

export interface Path {
  domain: 'storage' | 'private' | 'public'
  identifier: string
}

/**
 * `data` by type: integers, scaled fixed-point and addresses are bigint; composites and ranges are
 * lists of values.
 */
export interface CadenceValue {
  type: CadenceType
  data: boolean | bigint | string | null | Path | CadenceValue | CadenceValue[] | Pairs | TypeOf | CapabilityOf
}

export interface Pairs {
  pairs: Array<[CadenceValue, CadenceValue]>
}

/** A value of type `Type`. */
export interface TypeOf {
  stands: CadenceType | null
}

export interface CapabilityOf {
  address: bigint
  id: bigint
}

/** A value without representation: nil in CCF, null in JSON-CDC. */
export const absent = null

export const integerTypes: ReadonlyMap<string, [min: bigint, max: bigint]> = new Map([
  ...[8, 16, 32, 64, 128, 256].flatMap((bits): Array<[string, [bigint, bigint]]> => {
    const size = 1n << BigInt(bits)
    return [
      [`Int${bits}`, [-size / 2n, size / 2n - 1n]],
      [`UInt${bits}`, [0n, size - 1n]],
      [`Word${bits}`, [0n, size - 1n]],
    ]
  }),
  ['Int', [-(1n << 300n), 1n << 300n]],
  ['UInt', [0n, 1n << 300n]],
])

export const fixedPointTypes: ReadonlyMap<string, [min: bigint, max: bigint, decimals: number]> = new Map([
  ['Fix64', [-(1n << 63n), (1n << 63n) - 1n, 8]],
  ['UFix64', [0n, (1n << 64n) - 1n, 8]],
  ['Fix128', [-(1n << 127n), (1n << 127n) - 1n, 24]],
  ['UFix128', [0n, (1n << 128n) - 1n, 24]],
])

/** Types whose values name their own type. */
export const abstractTypes = ['AnyStruct', 'HashableStruct', 'Integer', 'Number', 'Path', 'CapabilityPath'] as const

export function isAbstract(type: CadenceType): boolean {
  if (type.kind === 'interface' || type.kind === 'intersection') return true
  return type.kind === 'simple' && (abstractTypes as readonly string[]).includes(type.name)
}

export interface AnyEvent {
  event: CadenceValue
  types: Array<CompositeType | InterfaceType>
}

/** Events with fields of every type and shape. */
export const anyEvent: fc.Arbitrary<AnyEvent> = fc.gen().map((generate) => new EventSource(generate).event())

const maxDepth = 4
const scalars = ['Void', 'Bool', 'String', 'Character', 'Address', 'StoragePath', 'PublicPath', 'PrivatePath', 'Type']
const numbers = [...integerTypes.keys(), ...fixedPointTypes.keys()]
const hashable = ['Bool', 'String', 'Character', 'Address', 'StoragePath', 'Type', ...numbers]
const abstract = ['AnyStruct', 'Integer', 'Path', 'CapabilityPath']
const containers = ['optional', 'array', 'dictionary', 'range', 'reference', 'intersection', 'capability'] as const
const fieldNames = ['amount', 'to', 'from', 'id', '__proto__', 'constructor', '7', 'données', 'a"b', 'x\0y']
const texts = ['', 'plain', 'quote " and \\', 'line\nbreak', '\0', 'nul\0inside', '漢字', '👍🏽', '\u2028<>&', '\\u0000']

const smallEdges = [0n, 1n, -1n, 23n, 24n, 255n, 256n, 65_536n, 99_999_999n, 100_000_000n, -100_000_000n]
const edges = [...smallEdges, 10n ** 18n, 1n << 32n, (1n << 53n) - 1n, 1n << 53n, 1n << 63n]

class EventSource {
  readonly #generate: GeneratorValue
  readonly #structs: CompositeType[] = []
  readonly #enum: CompositeType
  readonly #interface: InterfaceType = { kind: 'interface', form: 'StructInterface', id: 'A.0000000000000001.C.Any' }

  constructor(generate: GeneratorValue) {
    this.#generate = generate
    const raw = this.#pick(['UInt8', 'Int256', 'UInt64'])
    this.#enum = composite('Enum', 'Color', [{ name: 'rawValue', type: simple(raw) }])
  }

  event(): AnyEvent {
    const forms = ['Struct', 'Resource', 'Contract', 'Attachment'] as const
    for (let index = this.#below(3); index >= 0; index--) {
      const struct = composite(this.#pick(forms), `S${index}`, [])
      struct.fields = this.#fields(2)
      // A recursive type must be able to end.
      struct.fields.push({ name: 'next', type: { kind: 'optional', element: struct } })
      this.#structs.push(struct)
    }
    const type = composite('Event', 'Happened', this.#fields(0))
    return { event: this.#value(type, 0), types: [type, ...this.#structs, this.#enum, this.#interface] }
  }

  #fields(depth: number): CompositeType['fields'] {
    const names = new Set(Array.from({ length: this.#below(7) }, () => this.#pick(fieldNames)))
    return [...names].map((name) => ({ name, type: this.#type(depth) }))
  }

  #type(depth: number): CadenceType {
    const choice = this.#below(depth < maxDepth ? 10 : 4)
    if (choice < 2) return simple(this.#pick(numbers))
    if (choice === 2) return simple(this.#pick(scalars))
    if (choice === 3) return simple(this.#pick(abstract))
    if (choice === 4) return { kind: 'array', element: simple('UInt8') }
    if (choice === 5) return this.#pick([...this.#structs, this.#enum])
    return this.#container(this.#pick(containers), depth + 1)
  }

  #container(kind: (typeof containers)[number], depth: number): CadenceType {
    switch (kind) {
      case 'optional':
        return { kind, element: this.#type(depth) }
      case 'array': {
        const element = this.#type(depth)
        return this.#below(2) === 0 ? { kind, element } : { kind, element, size: this.#below(4) }
      }
      case 'dictionary':
        return { kind, key: simple(this.#pick(['HashableStruct', ...hashable])), value: this.#type(depth) }
      case 'range':
        return { kind, element: simple(this.#pick(['Int', 'UInt8', 'Word128', 'Int64', 'Integer'])) }
      case 'reference':
        return { kind, authorization: this.#authorization(), referenced: this.#type(depth) }
      case 'intersection':
        return this.#structs.length === 0 ? simple('Integer') : { kind, members: [this.#interface] }
      case 'capability':
        return { kind, borrowType: this.#below(3) === 0 ? null : this.#borrowType(depth) }
    }
  }

  #borrowType(depth: number): CadenceType {
    return { kind: 'reference', authorization: this.#authorization(), referenced: this.#type(depth + 1) }
  }

  #authorization(): Authorization {
    const kind = this.#pick(['none', 'conjunction', 'disjunction', 'map'] as const)
    if (kind === 'none') return { kind }
    if (kind === 'map') return { kind, id: 'A.0000000000000001.C.Map' }
    return { kind, entitlements: ['Mutate', 'A.0000000000000001.C.E', 'Insert'].slice(this.#below(3)) }
  }

  /** A type inside a type value; values of it need not exist. */
  #standsFor(depth: number): CadenceType {
    if (depth >= 3 || this.#below(3) > 0) return this.#type(3)
    const inner = (): CadenceType => this.#standsFor(depth + 1)
    return {
      kind: 'function',
      view: this.#below(2) === 0,
      typeParameters: this.#below(2) === 0 ? [] : [{ name: 'T', bound: this.#below(2) === 0 ? null : inner() }],
      parameters: Array.from({ length: this.#below(3) }, inner),
      returnType: inner(),
    }
  }

  #value(place: CadenceType, depth: number): CadenceValue {
    if (place.kind === 'reference') return this.#value(place.referenced, depth)
    if (isAbstract(place)) return this.#abstractValue(place, depth)
    const item = (type: CadenceType): CadenceValue => this.#value(type, depth + 1)
    switch (place.kind) {
      case 'simple':
        return { type: place, data: this.#scalar(place.name) }
      case 'optional':
        return { type: place, data: depth > 5 || this.#below(3) === 0 ? null : item(place.element) }
      case 'array': {
        const length = place.size ?? (depth > 5 ? 0 : this.#below(5))
        const named = place.element.kind === 'simple' && place.element.name === 'AnyStruct' && this.#below(2) === 0
        const element = named ? simple('UInt8') : place.element
        return { type: place, data: Array.from({ length }, () => item(element)) }
      }
      case 'dictionary': {
        const length = depth > 5 ? 0 : this.#below(4)
        const pairs = Array.from({ length }, (): [CadenceValue, CadenceValue] => [item(place.key), item(place.value)])
        return { type: place, data: { pairs } }
      }
      case 'range':
        return { type: place, data: [item(place.element), item(place.element), item(place.element)] }
      case 'composite':
        return { type: place, data: place.fields.map((field) => item(field.type)) }
      case 'capability': {
        const open = place.borrowType === null && this.#below(2) === 0
        const type: CadenceType = open ? { kind: 'capability', borrowType: this.#borrowType(3) } : place
        return { type, data: { address: this.#bigint(0n, (1n << 64n) - 1n), id: this.#bigint(0n, (1n << 64n) - 1n) } }
      }
      default:
        throw new Error(`no value has the type ${place.kind}`)
    }
  }

  #abstractValue(place: CadenceType, depth: number): CadenceValue {
    // The first struct has no intersections, so that values end.
    if (place.kind === 'intersection') {
      return this.#value(depth < 3 ? this.#pick(this.#structs) : (this.#structs[0] as CompositeType), depth + 1)
    }
    const name = place.kind === 'simple' ? place.name : ''
    if (name === 'Integer') return this.#value(simple(this.#pick([...integerTypes.keys()])), depth)
    if (name === 'Path' || name === 'CapabilityPath') return this.#value(simple('PublicPath'), depth)
    if (name === 'HashableStruct') return this.#value(simple(this.#pick(hashable)), depth)
    if (this.#below(8) === 0) return { type: place, data: null }
    let type = this.#type(Math.min(depth, maxDepth))
    while (isAbstract(type) || type.kind === 'reference') type = this.#type(maxDepth)
    return this.#value(type, depth + 1)
  }

  #scalar(name: string): CadenceValue['data'] {
    const range = integerTypes.get(name) ?? fixedPointTypes.get(name)
    if (range !== undefined) return this.#bigint(range[0], range[1])
    switch (name) {
      case 'Void':
        return null
      case 'Bool':
        return this.#below(2) === 0
      case 'Address':
        return this.#bigint(0n, (1n << 64n) - 1n)
      case 'Type':
        return { stands: this.#below(5) === 0 ? null : this.#standsFor(0) }
      case 'StoragePath':
      case 'PublicPath':
      case 'PrivatePath':
        return { domain: name.slice(0, -4).toLowerCase() as Path['domain'], identifier: this.#pick(texts) }
      default:
        return this.#below(2) === 0 ? this.#pick(texts) : this.#generate(fc.string, { unit: 'binary', maxLength: 40 })
    }
  }

  #below(limit: number): number {
    return this.#generate(fc.nat, limit - 1)
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  /** Often at a limit or at a power of two or ten. */
  #bigint(min: bigint, max: bigint): bigint {
    if (this.#below(2) === 0) return this.#generate(fc.bigInt, { min, max })
    const edge = this.#pick([min, max, ...edges])
    return edge < min || edge > max ? min : edge
  }
}

function simple(name: string): CadenceType {
  return { kind: 'simple', name }
}

function composite(form: CompositeType['form'], name: string, fields: CompositeType['fields']): CompositeType {
  return { kind: 'composite', form, id: `A.0000000000000001.C.${name}`, fields }
}
