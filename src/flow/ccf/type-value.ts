import type { CcfInput } from './ccf-input.ts'
import { typeId } from '../type-id.ts'

/**
 * CCF specification, `simple-type-id`, and two later additions. Missing numbers belong to removed
 * types.
 */
export const simpleTypeNames: ReadonlyMap<number, string> = new Map([
  ...numbered(0, ['Bool', 'String', 'Character', 'Address']),
  ...numbered(4, ['Int', 'Int8', 'Int16', 'Int32', 'Int64', 'Int128', 'Int256']),
  ...numbered(11, ['UInt', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'UInt128', 'UInt256']),
  ...numbered(18, ['Word8', 'Word16', 'Word32', 'Word64', 'Fix64', 'UFix64']),
  ...numbered(24, ['Path', 'CapabilityPath', 'StoragePath', 'PublicPath', 'PrivatePath']),
  ...numbered(35, ['DeployedContract']),
  ...numbered(37, ['Block', 'Any', 'AnyStruct', 'AnyResource', 'Type', 'Never']),
  ...numbered(43, ['Number', 'SignedNumber', 'Integer', 'SignedInteger', 'FixedPoint', 'SignedFixedPoint']),
  ...numbered(49, ['Bytes', 'Void', 'Function', 'Word128', 'Word256', 'AnyStructAttachment', 'AnyResourceAttachment']),
  ...numbered(56, ['StorageCapabilityController', 'AccountCapabilityController']),
  ...numbered(58, ['Account', 'Account.Contracts', 'Account.Keys', 'Account.Inbox']),
  ...numbered(62, ['Account.StorageCapabilities', 'Account.AccountCapabilities', 'Account.Capabilities']),
  ...numbered(65, ['Account.Storage', 'Mutate', 'Insert', 'Remove', 'Identity', 'Storage']),
  ...numbered(71, ['SaveValue', 'LoadValue', 'CopyValue', 'BorrowValue']),
  ...numbered(75, ['Contracts', 'AddContract', 'UpdateContract', 'RemoveContract', 'Keys', 'AddKey', 'RevokeKey']),
  ...numbered(82, ['Inbox', 'PublishInboxCapability', 'UnpublishInboxCapability', 'ClaimInboxCapability']),
  ...numbered(86, ['Capabilities', 'StorageCapabilities', 'AccountCapabilities']),
  ...numbered(89, ['PublishCapability', 'UnpublishCapability']),
  ...numbered(91, ['GetStorageCapabilityController', 'IssueStorageCapabilityController']),
  ...numbered(93, ['GetAccountCapabilityController', 'IssueAccountCapabilityController']),
  ...numbered(95, ['CapabilitiesMapping', 'AccountMapping', 'HashableStruct', 'FixedSizeUnsignedInteger']),
  ...numbered(99, ['Fix128']),
  ...numbered(101, ['UFix128']),
  ...numbered(103, ['Storable', 'StringBuilder']),
])

export function simpleTypeName(input: CcfInput, number: number): string {
  const name = simpleTypeNames.get(number)
  if (name === undefined) throw input.fail(`unknown simple type: ${number}`)
  return name
}

function numbered(first: number, list: readonly string[]): Array<[number, string]> {
  return list.map((name, index) => [first + index, name])
}

/** Leading zeros do not count. */
export function readDefinitionId(input: CcfInput): string {
  const bytes = input.readBytes()
  if (bytes.length > 8) throw input.fail('type id exceeds 8 bytes')
  return bytes.toString('hex').replace(/^(?:00)+/, '')
}

const tags = { inline: { set: 146, map: 147 }, value: { set: 195, map: 196 } } as const

/** @returns the text inside `auth(…)`, or null */
export function readAuthorization(input: CcfInput, position: keyof typeof tags): string | null {
  if (input.takeNil()) return null
  const number = input.readTag()
  if (number === tags[position].map) return input.readText()
  if (number !== tags[position].set) throw input.fail(`unexpected authorization tag ${number}`)
  input.expectArray(2)
  const kind = input.readSmall()
  if (kind > 1) throw input.fail(`unknown entitlement set kind: ${kind}`)
  const count = input.readArray()
  const entitlements: string[] = []
  for (let i = 0; i < count; i++) entitlements.push(input.readText())
  return typeId.entitlements(entitlements, kind === 0 ? 'conjunction' : 'disjunction')
}

/** CCF specification, `type-value`. */
const tag = {
  reference: 184,
  simple: 185,
  optional: 186,
  variableSizedArray: 187,
  constantSizedArray: 188,
  dictionary: 189,
  borrowed: 190,
  intersection: 191,
  capability: 192,
  function: 193,
  inclusiveRange: 194,
  firstComposite: 208,
  lastComposite: 213,
  firstInterface: 224,
  lastInterface: 226,
} as const

type Known = Map<string, string>

/** @returns the type's text */
export function readTypeText(input: CcfInput): string {
  return readText(input, new Map(), 0)
}

/** A function value has only its type. @returns its text */
export function readFunctionText(input: CcfInput): string {
  return readFunction(input, new Map(), 0)
}

function readText(input: CcfInput, known: Known, depth: number): string {
  input.checkDepth(depth)
  const number = input.readTag()
  switch (number) {
    case tag.simple:
      return simpleTypeName(input, input.readSmall())
    case tag.optional:
      return typeId.optional(readText(input, known, depth + 1))
    case tag.variableSizedArray:
      return typeId.variableSizedArray(readText(input, known, depth + 1))
    case tag.constantSizedArray: {
      input.expectArray(2)
      const size = String(input.readSmall())
      return typeId.constantSizedArray(readText(input, known, depth + 1), size)
    }
    case tag.dictionary: {
      input.expectArray(2)
      const key = readText(input, known, depth + 1)
      return typeId.dictionary(key, readText(input, known, depth + 1))
    }
    case tag.borrowed: {
      input.expectArray(2)
      const authorization = readAuthorization(input, 'value')
      return typeId.reference(authorization, readText(input, known, depth + 1))
    }
    case tag.intersection:
      return typeId.intersection(readList(input, () => readText(input, known, depth + 1)))
    case tag.capability:
      input.expectArray(1)
      return typeId.capability(input.takeNil() ? null : readText(input, known, depth + 1))
    case tag.inclusiveRange:
      return typeId.inclusiveRange(readText(input, known, depth + 1))
    case tag.function:
      return readFunction(input, known, depth)
    case tag.reference: {
      const text = known.get(readDefinitionId(input))
      if (text === undefined) throw input.fail('reference to an unknown type')
      return text
    }
    default:
      if (
        (number >= tag.firstComposite && number <= tag.lastComposite) ||
        (number >= tag.firstInterface && number <= tag.lastInterface)
      ) {
        return readComposite(input, known, depth)
      }
      throw input.fail(`unexpected type value tag ${number}`)
  }
}

/** Fields and initializers are not part of the text, but can define types. */
function readComposite(input: CcfInput, known: Known, depth: number): string {
  input.expectArray(5)
  const id = readDefinitionId(input)
  const text = input.readText()
  if (known.has(id)) throw input.fail('duplicate type id')
  known.set(id, text)
  if (!input.takeNil()) readText(input, known, depth + 1)
  for (let fields = input.readArray(); fields > 0; fields--) {
    input.expectArray(2)
    input.readText()
    readText(input, known, depth + 1)
  }
  for (let initializers = input.readArray(); initializers > 0; initializers--) {
    readParameters(input, known, depth)
  }
  return text
}

function readFunction(input: CcfInput, known: Known, depth: number): string {
  const items = input.readArray()
  if (items !== 3 && items !== 4) throw input.fail(`function type has ${items} items`)
  const typeParameters = readList(input, () => {
    input.expectArray(2)
    const name = input.readText()
    return typeId.typeParameter(name, input.takeNil() ? null : readText(input, known, depth + 1))
  })
  const parameters = readParameters(input, known, depth)
  const returnType = readText(input, known, depth + 1)
  // Early encoders omit the purity.
  const view = items === 4 && input.readSmall() === 1
  return typeId.function(view, typeParameters, parameters, returnType)
}

function readParameters(input: CcfInput, known: Known, depth: number): string[] {
  return readList(input, () => {
    input.expectArray(3)
    input.readText()
    input.readText()
    return readText(input, known, depth + 1)
  })
}

function readList(input: CcfInput, readItem: () => string): string[] {
  const count = input.readArray()
  const items: string[] = []
  for (let i = 0; i < count; i++) items.push(readItem())
  return items
}
