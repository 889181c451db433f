import type { CcfInput } from './ccf-input.ts'

/**
 * The names of simple types by number; CCF specification, `simple-type-id`, and the two that encoders have added since.
 * Numbers left out were given to types that exist no more.
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

/** The name of the simple type `number`, as Cadence writes it. */
export function simpleTypeName(input: CcfInput, number: number): string {
  const name = simpleTypeNames.get(number)
  if (name === undefined) throw input.fail(`an unknown simple type: ${number}`)
  return name
}

function numbered(first: number, list: readonly string[]): Array<[number, string]> {
  return list.map((name, index) => [first + index, name])
}
