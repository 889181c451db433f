import { fixedPointTypes, integerTypes, isAbstract } from '../cadence-value.test-support.ts'
import type {
  Authorization,
  CadenceType,
  CadenceValue,
  CapabilityOf,
  CompositeType,
  InterfaceType,
  Pairs,
  Path,
  TypeOf,
} from '../cadence-value.test-support.ts'

const simpleIds = new Map(
  [
    'Bool String Character Address Int Int8 Int16 Int32 Int64 Int128 Int256 UInt UInt8 UInt16 UInt32 UInt64 UInt128',
    'UInt256 Word8 Word16 Word32 Word64 Fix64 UFix64 Path CapabilityPath StoragePath ' +
      'PublicPath PrivatePath - - - - - -',
    'DeployedContract - Block Any AnyStruct AnyResource Type Never Number ' +
      'SignedNumber Integer SignedInteger FixedPoint',
    'SignedFixedPoint Bytes Void - Word128 Word256',
  ]
    .join(' ')
    .split(' ')
    .map((name, id): [string, number] => [name, id])
    .concat([
      ['HashableStruct', 97],
      ['Fix128', 99],
      ['UFix128', 101],
    ]),
)

const formTags = { Struct: 160, Resource: 161, Event: 162, Contract: 163, Enum: 164, Attachment: 165 }
const interfaceTags = { StructInterface: 176, ResourceInterface: 177, ContractInterface: 178 }
const domains = { storage: 1, private: 2, public: 3 }

/** Encodes a value with the definitions of `types`: `129([definitions, [type, value]])`. */
export function encodeCcf(value: CadenceValue, types: ReadonlyArray<CompositeType | InterfaceType>): Buffer {
  return new CcfEncoder(types).message(value)
}

class CcfEncoder {
  readonly #ids: Map<CadenceType, Buffer>

  constructor(types: ReadonlyArray<CompositeType | InterfaceType>) {
    this.#ids = new Map(types.map((type, index) => [type, index === 0 ? Buffer.alloc(0) : minimal(BigInt(index))]))
  }

  message(value: CadenceValue): Buffer {
    if (this.#ids.size === 0) return tagged(130, array([this.type(value.type), this.value(value.type, value)]))
    const definitions = [...this.#ids].map(([type, id]) => this.#definition(type, id))
    return tagged(129, array([array(definitions), array([this.type(value.type), this.value(value.type, value)])]))
  }

  #definition(type: CadenceType, id: Buffer): Buffer {
    if (type.kind === 'interface') return tagged(interfaceTags[type.form], array([bytes(id), text(type.id)]))
    if (type.kind !== 'composite') throw new Error('not a type that is defined')
    const fields = type.fields.map((field) => array([text(field.name), this.type(field.type)]))
    return tagged(formTags[type.form], array([bytes(id), text(type.id), array(fields)]))
  }

  type(type: CadenceType): Buffer {
    switch (type.kind) {
      case 'simple':
        return tagged(137, head(0, BigInt(simpleIds.get(type.name) ?? -1)))
      case 'optional':
        return tagged(138, this.type(type.element))
      case 'array':
        if (type.size === undefined) return tagged(139, this.type(type.element))
        return tagged(140, array([head(0, BigInt(type.size)), this.type(type.element)]))
      case 'dictionary':
        return tagged(141, array([this.type(type.key), this.type(type.value)]))
      case 'reference':
        return tagged(142, array([authorization(type.authorization, 146), this.type(type.referenced)]))
      case 'intersection':
        return tagged(143, array(type.members.map((member) => this.type(member))))
      case 'capability':
        return tagged(144, array([type.borrowType === null ? nil : this.type(type.borrowType)]))
      case 'range':
        return tagged(145, this.type(type.element))
      case 'composite':
      case 'interface': {
        const id = this.#ids.get(type)
        if (id === undefined) throw new Error(`the type ${type.id} is not defined`)
        return tagged(136, bytes(id))
      }
      case 'function':
        throw new Error('a function has no inline type')
    }
  }

  value(place: CadenceType, value: CadenceValue): Buffer {
    const { data } = value
    if (place.kind === 'optional') {
      return data === null ? nil : this.value(place.element, data as CadenceValue)
    }
    if (place.kind === 'reference') return this.value(place.referenced, value)
    if (isAbstract(place) || (place.kind === 'capability' && place !== value.type)) {
      if (isAbstract(value.type) && data === null) return nil
      return tagged(130, array([this.type(value.type), this.value(value.type, value)]))
    }
    switch (place.kind) {
      case 'simple':
        return simpleValue(place.name, data)
      case 'array':
        return array((data as CadenceValue[]).map((item) => this.value(place.element, item)))
      case 'range':
        return array((data as CadenceValue[]).map((item) => this.value(place.element, item)))
      case 'dictionary':
        return array(
          (data as Pairs).pairs.flatMap(([key, item]) => [this.value(place.key, key), this.value(place.value, item)]),
        )
      case 'composite':
        return array(
          place.fields.map((field, index) => this.value(field.type, (data as CadenceValue[])[index] as CadenceValue)),
        )
      case 'capability': {
        const { address, id } = data as CapabilityOf
        return array([addressBytes(address), head(0, id)])
      }
      default:
        throw new Error(`no value has the type ${place.kind}`)
    }
  }
}

function simpleValue(name: string, data: CadenceValue['data']): Buffer {
  if (name === 'Fix128' || name === 'UFix128') {
    const scaled = BigInt.asUintN(128, data as bigint)
    return array([head(0, scaled >> 64n), head(0, scaled & 0xffff_ffff_ffff_ffffn)])
  }
  if (integerTypes.has(name) || fixedPointTypes.has(name)) {
    return /^U?Int$|128|256/.test(name) ? bignum(data as bigint) : integer(data as bigint)
  }
  switch (name) {
    case 'Void':
      return nil
    case 'Bool':
      return Buffer.from([data === true ? 0xf5 : 0xf4])
    case 'String':
    case 'Character':
      return text(data as string)
    case 'Address':
      return addressBytes(data as bigint)
    case 'StoragePath':
    case 'PublicPath':
    case 'PrivatePath': {
      const { domain, identifier } = data as Path
      return array([head(0, BigInt(domains[domain])), text(identifier)])
    }
    case 'Type': {
      const { stands } = data as TypeOf
      return stands === null ? nil : typeValue(stands, new Map())
    }
    default:
      throw new Error(`no value has the type ${name}`)
  }
}

/** `known` has the ids of composite types seen so far; later ones are references. */
function typeValue(type: CadenceType, known: Map<CadenceType, Buffer>): Buffer {
  const inner = (element: CadenceType): Buffer => typeValue(element, known)
  switch (type.kind) {
    case 'simple':
      return tagged(185, head(0, BigInt(simpleIds.get(type.name) ?? -1)))
    case 'optional':
      return tagged(186, inner(type.element))
    case 'array':
      if (type.size === undefined) return tagged(187, inner(type.element))
      return tagged(188, array([head(0, BigInt(type.size)), inner(type.element)]))
    case 'dictionary':
      return tagged(189, array([inner(type.key), inner(type.value)]))
    case 'reference':
      return tagged(190, array([authorization(type.authorization, 195), inner(type.referenced)]))
    case 'intersection':
      return tagged(191, array(type.members.map(inner)))
    case 'capability':
      return tagged(192, array([type.borrowType === null ? nil : inner(type.borrowType)]))
    case 'range':
      return tagged(194, inner(type.element))
    case 'function': {
      const typeParameters = type.typeParameters.map(({ name, bound }) => {
        return array([text(name), bound === null ? nil : inner(bound)])
      })
      const parameters = type.parameters.map((parameter, index) => {
        return array([text(''), text(`p${index}`), inner(parameter)])
      })
      const purity = head(0, type.view ? 1n : 0n)
      return tagged(193, array([array(typeParameters), array(parameters), inner(type.returnType), purity]))
    }
    case 'composite':
    case 'interface': {
      const id = known.get(type)
      if (id !== undefined) return tagged(184, bytes(id))
      const own = known.size === 0 ? Buffer.alloc(0) : minimal(BigInt(known.size))
      known.set(type, own)
      const base = type.form === 'Enum' ? inner({ kind: 'simple', name: 'UInt8' }) : nil
      const fields = type.kind === 'composite' ? type.fields : []
      const number = type.kind === 'composite' ? formTags[type.form] + 48 : interfaceTags[type.form] + 48
      const initializers = type.kind === 'composite' && type.form === 'Event' ? [array([])] : []
      return tagged(
        number,
        array([
          bytes(own),
          text(type.id),
          base,
          array(fields.map((field) => array([text(field.name), inner(field.type)]))),
          array(initializers),
        ]),
      )
    }
  }
}

function authorization(authorized: Authorization, setTag: number): Buffer {
  if (authorized.kind === 'none') return nil
  if (authorized.kind === 'map') return tagged(setTag + 1, text(authorized.id))
  const kind = head(0, authorized.kind === 'conjunction' ? 0n : 1n)
  return tagged(setTag, array([kind, array(authorized.entitlements.map(text))]))
}

const nil = Buffer.from([0xf6])

/** Head of a CBOR data item in its shortest form. */
export function head(major: number, argument: bigint): Buffer {
  if (argument < 24n) return Buffer.from([(major << 5) | Number(argument)])
  const width = argument < 1n << 8n ? 0 : argument < 1n << 16n ? 1 : argument < 1n << 32n ? 2 : 3
  const digits = argument.toString(16).padStart(2 << width, '0')
  return Buffer.concat([Buffer.from([(major << 5) | (24 + width)]), Buffer.from(digits, 'hex')])
}

export function text(value: string): Buffer {
  const encoded = Buffer.from(value)
  return Buffer.concat([head(3, BigInt(encoded.length)), encoded])
}

export function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([head(2, BigInt(value.length)), value])
}

export function array(items: readonly Uint8Array[]): Buffer {
  return Buffer.concat([head(4, BigInt(items.length)), ...items])
}

export function tagged(number: number, item: Uint8Array): Buffer {
  return Buffer.concat([head(6, BigInt(number)), item])
}

function integer(value: bigint): Buffer {
  return value < 0n ? head(1, -1n - value) : head(0, value)
}

function bignum(value: bigint): Buffer {
  return value < 0n ? tagged(3, bytes(minimal(-1n - value))) : tagged(2, bytes(minimal(value)))
}

function minimal(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0)
  const digits = value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function addressBytes(address: bigint): Buffer {
  return bytes(Buffer.from(address.toString(16).padStart(16, '0'), 'hex'))
}
