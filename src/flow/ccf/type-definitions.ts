import { byteFieldsOf, typeId } from '../type-id.ts'
import { compositePlan, enumPlan, readFieldPlans } from './type-plan.ts'
import type { FieldPlan, TypePlan } from './type-plan.ts'
import { major } from './ccf-input.ts'
import type { CcfInput } from './ccf-input.ts'
import {
  byteFieldPlan,
  arrayPlan,
  dictionaryPlan,
  inclusiveRangePlan,
  optionalPlan,
  referencePlan,
} from './container-plans.ts'
import { readDefinitionId, readAuthorization, simpleTypeName } from './type-value.ts'
import type { ByteWriter } from '../../platform/byte-writer.ts'
import { payloadText } from '../payload-value.ts'
import type { PayloadValue } from '../payload-value.ts'
import {
  bigIntegerPlan,
  fixed128Plan,
  signedFixedPlan,
  signedPlan,
  unsignedFixedPlan,
  unsignedPlan,
} from './integer-plans.ts'
import { writeRaw } from './json-text.ts'
import {
  addressPlan,
  boolPlan,
  bytesPlan,
  functionPlan,
  metaTypePlan,
  pathPlan,
  readAddress,
  textPlan,
  voidPlan,
  writeAddress,
  writeNull,
} from './simple-plans.ts'

/** CCF specification, `composite-typedef`. */
const definitionTag = {
  firstComposite: 160,
  event: 162,
  enum: 164,
  lastComposite: 165,
  firstInterface: 176,
  lastInterface: 178,
} as const

/** Fields are read later, from `position`. */
interface OpenDefinition {
  fields: FieldPlan[]
  position: number
  byteFields: ReadonlySet<string> | undefined
}

/**
 * Types can refer to each other, so ids are collected first and fields are read in a second pass.
 */
export function readTypeDefinitions(input: CcfInput): Definitions {
  const definitions = new Map<string, TypePlan>()
  const open: OpenDefinition[] = []
  const count = input.readArray()
  for (let i = 0; i < count; i++) {
    const number = input.readTag()
    const composite = number >= definitionTag.firstComposite && number <= definitionTag.lastComposite
    if (!composite && (number < definitionTag.firstInterface || number > definitionTag.lastInterface)) {
      throw input.fail(`unexpected type definition tag ${number}`)
    }
    input.expectArray(composite ? 3 : 2)
    const id = readDefinitionId(input)
    if (definitions.has(id)) throw input.fail('duplicate type id')
    const typeId = input.readText()
    if (composite) {
      const fields: FieldPlan[] = []
      definitions.set(id, number === definitionTag.enum ? enumPlan(typeId, fields) : compositePlan(typeId, fields))
      const byteFields = number === definitionTag.event ? byteFieldsOf(typeId) : undefined
      open.push({ fields, position: input.position, byteFields })
      input.skip()
    } else {
      definitions.set(id, abstractPlan(typeId, definitions))
    }
  }
  const end = input.position
  for (const { fields, position, byteFields } of open) {
    input.position = position
    readFieldPlans(input, fields, (name) => {
      const plan = readInlineType(input, definitions, 0)
      return plan.kind === 'array' && byteFields?.has(name) === true ? byteFieldPlan(plan) : plan
    })
  }
  input.position = end
  return definitions
}

/** CCF specification, `inline-type`. */
const tag = {
  typeAndValue: 130,
  definition: 136,
  simple: 137,
  optional: 138,
  variableSizedArray: 139,
  constantSizedArray: 140,
  dictionary: 141,
  reference: 142,
  intersection: 143,
  capability: 144,
  inclusiveRange: 145,
} as const

export type Definitions = ReadonlyMap<string, TypePlan>

/** All other simple types are abstract. */
const concretePlans: ReadonlyMap<string, TypePlan> = new Map(
  [
    unsignedPlan('UInt8', 8, 'uint8'),
    ...['Word8'].map((name) => unsignedPlan(name, 8)),
    ...['UInt16', 'Word16'].map((name) => unsignedPlan(name, 16)),
    ...['UInt32', 'Word32'].map((name) => unsignedPlan(name, 32)),
    ...['UInt64', 'Word64'].map((name) => unsignedPlan(name, 64)),
    ...[8, 16, 32, 64].map((bits) => signedPlan(`Int${bits}`, bits)),
    bigIntegerPlan('Int', { signed: true }),
    bigIntegerPlan('UInt', { signed: false }),
    ...[128, 256].flatMap((bits) => [
      bigIntegerPlan(`Int${bits}`, { signed: true, bits }),
      bigIntegerPlan(`UInt${bits}`, { signed: false, bits }),
      bigIntegerPlan(`Word${bits}`, { signed: false, bits }),
    ]),
    unsignedFixedPlan('UFix64'),
    signedFixedPlan('Fix64'),
    fixed128Plan('UFix128', false),
    fixed128Plan('Fix128', true),
    textPlan('String'),
    textPlan('Character'),
    ...['StoragePath', 'PublicPath', 'PrivatePath'].map(pathPlan),
    addressPlan,
    boolPlan,
    voidPlan,
    bytesPlan,
    metaTypePlan,
    functionPlan,
  ].map((plan) => [plan.typeId, plan]),
)

/** `definitions` must hold every type that it may refer to. */
export function readInlineType(input: CcfInput, definitions: Definitions, depth: number): TypePlan {
  input.checkDepth(depth)
  const number = input.readTag()
  const plan = planOf(input, number, definitions, depth)
  if (number !== tag.definition && number !== tag.simple) input.countType(plan.typeId)
  return plan
}

function planOf(input: CcfInput, number: number, definitions: Definitions, depth: number): TypePlan {
  const element = (): TypePlan => readInlineType(input, definitions, depth + 1)
  switch (number) {
    case tag.definition: {
      const plan = definitions.get(readDefinitionId(input))
      if (plan === undefined) throw input.fail('reference to an unknown type')
      return plan
    }
    case tag.simple: {
      const name = simpleTypeName(input, input.readSmall())
      return concretePlans.get(name) ?? abstractPlan(name, definitions)
    }
    case tag.optional:
      return optionalPlan(element())
    case tag.variableSizedArray:
      return arrayPlan(element())
    case tag.constantSizedArray: {
      input.expectArray(2)
      const size = input.readSmall()
      return arrayPlan(element(), size)
    }
    case tag.dictionary: {
      input.expectArray(2)
      const key = element()
      return dictionaryPlan(key, element())
    }
    case tag.reference: {
      input.expectArray(2)
      const authorization = readAuthorization(input, 'inline')
      return referencePlan(authorization, element())
    }
    case tag.intersection: {
      const members: string[] = []
      for (let count = input.readArray(); count > 0; count--) members.push(element().typeId)
      return abstractPlan(typeId.intersection(members), definitions)
    }
    case tag.capability:
      input.expectArray(1)
      return capabilityPlan(input.takeNil() ? null : element().typeId, definitions)
    case tag.inclusiveRange:
      return inclusiveRangePlan(element())
    default:
      throw input.fail(`unexpected type tag ${number}`)
  }
}

/** AnyStruct, Integer, an interface. Nil is a value without encoding. */
export function abstractPlan(id: string, definitions: Definitions): TypePlan {
  return {
    typeId: id,
    kind: 'abstract',
    write(input, out, depth) {
      if (input.takeNil()) writeNull(out)
      else readNamedType(input, definitions, depth).write(input, out, depth + 1)
    },
    read(input, depth) {
      return input.takeNil() ? null : readNamedType(input, definitions, depth).read(input, depth + 1)
    },
  }
}

function readNamedType(input: CcfInput, definitions: Definitions, depth: number): TypePlan {
  input.expectTag(tag.typeAndValue)
  input.expectArray(2)
  return readInlineType(input, definitions, depth + 1)
}

const capabilityLabels = {
  id: Buffer.from('{"id":'),
  address: Buffer.from(',"address":'),
  borrowType: Buffer.from(',"borrowType":'),
}

/** If the borrow type is open, each value names its own. */
function capabilityPlan(borrowTypeId: string | null, definitions: Definitions): TypePlan {
  const id = typeId.capability(borrowTypeId)
  const open = abstractPlan(id, definitions)
  const borrowType = borrowTypeId === null ? null : payloadText(borrowTypeId)
  const borrowTypeJson = JSON.stringify(borrowType)
  return {
    typeId: id,
    kind: 'other',
    write(input, out, depth) {
      if (namesType(input)) open.write(input, out, depth)
      else writeCapability(input, out, borrowTypeJson)
    },
    read: (input, depth) => (namesType(input) ? open.read(input, depth) : readCapability(input, borrowType)),
  }
}

function namesType(input: CcfInput): boolean {
  return input.peek() >> 5 === major.tag
}

function writeCapability(input: CcfInput, out: ByteWriter, borrowTypeJson: string): void {
  input.expectArray(2)
  const address = input.position
  readAddress(input)
  writeRaw(out, capabilityLabels.id)
  idPlan.write(input, out, 0)
  const end = input.position
  input.position = address
  writeRaw(out, capabilityLabels.address)
  writeAddress(input, out)
  input.position = end
  writeRaw(out, capabilityLabels.borrowType)
  out.utf8(`${borrowTypeJson}}`)
}

function readCapability(input: CcfInput, borrowType: string | null): PayloadValue {
  input.expectArray(2)
  const address = readAddress(input)
  return { id: idPlan.read(input, 0), address, borrowType }
}

const idPlan = unsignedPlan('UInt64', 64)
