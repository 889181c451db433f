import type { DraftEvent } from './draft.ts'
import { arrayOf, eventShape } from '../encoding/cadence.ts'
import type { CadenceType, CompositeType } from '../encoding/cadence.ts'
import { hashAlgorithms, signatureAlgorithms } from '../world/account.ts'
import type { NewAccountKey, Account } from '../world/account.ts'
import { codeHash } from '../world/deployed-contracts.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'
import { flow } from '../world/tokens.ts'

const enumOf = (id: string): CompositeType => ({ kind: 'enum', id, fields: [{ name: 'rawValue', type: 'UInt8' }] })
const keyType: CompositeType = {
  kind: 'struct',
  id: 'PublicKey',
  fields: [
    { name: 'publicKey', type: arrayOf('UInt8') },
    { name: 'signatureAlgorithm', type: enumOf('SignatureAlgorithm') },
  ],
}
const contractFields: Readonly<Record<string, CadenceType>> = {
  address: 'Address',
  codeHash: arrayOf('UInt8', 32),
  contract: 'String',
}
const vaultReference: CadenceType = {
  kind: 'reference',
  authorization: { kind: 'none' },
  referenced: {
    kind: 'resource',
    id: flow.vaultType,
    fields: [
      { name: 'uuid', type: 'UInt64' },
      { name: 'balance', type: 'UFix64' },
    ],
  },
}
const vaultCapability: CadenceType = { kind: 'capability', borrowType: vaultReference }

const shapes = {
  created: eventShape('flow.AccountCreated', { address: 'Address' }),
  keyAdded: eventShape('flow.AccountKeyAdded', {
    address: 'Address',
    publicKey: keyType,
    weight: 'UFix64',
    hashAlgorithm: enumOf('HashAlgorithm'),
    keyIndex: 'Int',
  }),
  keyRemoved: eventShape('flow.AccountKeyRemoved', { address: 'Address', publicKey: 'Int' }),
  contractAdded: eventShape('flow.AccountContractAdded', contractFields),
  contractUpdated: eventShape('flow.AccountContractUpdated', contractFields),
  contractRemoved: eventShape('flow.AccountContractRemoved', contractFields),
  controllerIssued: eventShape('flow.StorageCapabilityControllerIssued', {
    id: 'UInt64',
    address: 'Address',
    type: 'Type',
    path: 'StoragePath',
  }),
  capabilityPublished: eventShape('flow.CapabilityPublished', {
    address: 'Address',
    path: 'PublicPath',
    capability: { kind: 'capability', borrowType: null },
  }),
} as const

export function cadenceAlgorithms({ signatureAlgorithm, hashAlgorithm }: NewAccountKey): {
  readonly signature: number
  readonly hash: number
} {
  return { signature: signatureAlgorithms[signatureAlgorithm].cadence, hash: hashAlgorithms[hashAlgorithm].cadence }
}

export function accountCreated({ address }: Account): DraftEvent {
  return { shape: shapes.created, values: [address] }
}

export function keyAdded({ address }: Account, keyIndex: number, key: NewAccountKey): DraftEvent {
  const { signature, hash } = cadenceAlgorithms(key)
  return { shape: shapes.keyAdded, values: [address, [key.publicKey, [signature]], key.weight, [hash], keyIndex] }
}

export function keyRemoved({ address }: Account, keyIndex: number): DraftEvent {
  return { shape: shapes.keyRemoved, values: [address, keyIndex] }
}

export function contractEvent(
  change: 'contractAdded' | 'contractUpdated' | 'contractRemoved',
  { address }: Account,
  contract: ContractCode,
): DraftEvent {
  return { shape: shapes[change], values: [address, codeHash(contract), contract.name] }
}

/** @param id of the controller, counted in each account */
export function controllerIssued(id: number, { address }: Account, type: CadenceType, path: string): DraftEvent {
  return { shape: shapes.controllerIssued, values: [id, address, { staticType: type }, path] }
}

export function vaultCapabilities(account: Account): DraftEvent[] {
  const { address } = account
  return ['/public/flowTokenReceiver', '/public/flowTokenBalance'].flatMap((path, nth) => [
    controllerIssued(nth + 1, account, vaultReference, flow.storagePath),
    {
      shape: shapes.capabilityPublished,
      values: [address, path, { type: vaultCapability, value: [address, nth + 1] }],
    },
  ])
}
