import type { DraftEvent } from './draft.ts'
import { eventShape, optional } from '../encoding/cadence.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts, vaultUuid } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import type { EventShape } from '../encoding/cadence.ts'
import { collections, collectionUuid, itemUuid } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'

const standard = `A.${systemAccounts.fungibleToken.hex}.FungibleToken`
const own = `A.${systemAccounts.flowToken.hex}.FlowToken`

const shapes = {
  Withdrawn: eventShape(`${standard}.Withdrawn`, {
    type: 'String',
    amount: 'UFix64',
    from: optional('Address'),
    fromUUID: 'UInt64',
    withdrawnUUID: 'UInt64',
    balanceAfter: 'UFix64',
  }),
  Deposited: eventShape(`${standard}.Deposited`, {
    type: 'String',
    amount: 'UFix64',
    to: optional('Address'),
    toUUID: 'UInt64',
    depositedUUID: 'UInt64',
    balanceAfter: 'UFix64',
  }),
} as const
const flowShapes = {
  Withdrawn: eventShape(`${own}.TokensWithdrawn`, { amount: 'UFix64', from: optional('Address') }),
  Deposited: eventShape(`${own}.TokensDeposited`, { amount: 'UFix64', to: optional('Address') }),
  Minted: eventShape(`${own}.TokensMinted`, { amount: 'UFix64' }),
} as const

export interface VaultRef {
  readonly token: Token
  /** Undefined for a vault that no account stores. */
  readonly account: Account | undefined
  readonly uuid: number
}

export function vaultOf(token: Token, account: Account): VaultRef {
  return { token, account, uuid: vaultUuid(token, account) }
}

/**
 * FLOW has an additional event, except for vaults of the service account.
 *
 * @param amount in units of 10^-8
 *
 * @param movedUuid of the vault in transit
 */
export function withdrawn(vault: VaultRef, amount: bigint, movedUuid: number, balanceAfter: bigint): DraftEvent[] {
  return moved('Withdrawn', vault, amount, movedUuid, balanceAfter)
}

/** See `withdrawn`. */
export function deposited(vault: VaultRef, amount: bigint, movedUuid: number, balanceAfter: bigint): DraftEvent[] {
  return moved('Deposited', vault, amount, movedUuid, balanceAfter)
}

function moved(
  event: 'Withdrawn' | 'Deposited',
  { token, account, uuid }: VaultRef,
  amount: bigint,
  movedUuid: number,
  balanceAfter: bigint,
): DraftEvent[] {
  const address = account?.address ?? null
  const values = [token.vaultType, amount, address, uuid, movedUuid, balanceAfter]
  const standardEvent = { shape: shapes[event], values }
  return token === flow && account !== systemAccounts.service
    ? [{ shape: flowShapes[event], values: [amount, address] }, standardEvent]
    : [standardEvent]
}

export function flowMinted(amount: bigint): DraftEvent {
  return { shape: flowShapes.Minted, values: [amount] }
}

const itemStandard = `A.${systemAccounts.service.hex}.NonFungibleToken`
const itemFields = { type: 'String', id: 'UInt64', uuid: 'UInt64' } as const

const itemShapes = {
  withdrawn: eventShape(`${itemStandard}.Withdrawn`, {
    ...itemFields,
    from: optional('Address'),
    providerUUID: 'UInt64',
  }),
  deposited: eventShape(`${itemStandard}.Deposited`, {
    ...itemFields,
    to: optional('Address'),
    collectionUUID: 'UInt64',
  }),
} as const

const mintedShapes: readonly EventShape[] = collections.map(({ contract, name }) =>
  eventShape(`A.${contract.hex}.${name}.Minted`, {
    id: 'UInt64',
    uuid: 'UInt64',
    name: 'String',
    traits: { kind: 'dictionary', key: 'String', value: 'String' },
  }),
)

export function itemWithdrawn(collection: Collection, id: number, from: Account): DraftEvent {
  const values = [collection.itemType, id, itemUuid(collection, id), from.address, collectionUuid(collection, from)]
  return { shape: itemShapes.withdrawn, values }
}

export function itemDeposited(collection: Collection, id: number, to: Account): DraftEvent {
  const values = [collection.itemType, id, itemUuid(collection, id), to.address, collectionUuid(collection, to)]
  return { shape: itemShapes.deposited, values }
}

export function itemMinted(
  collection: Collection,
  id: number,
  name: string,
  traits: Readonly<Record<string, string>>,
): DraftEvent {
  const values = [id, itemUuid(collection, id), name, Object.entries(traits)]
  return { shape: mintedShapes[collection.index] as EventShape, values }
}
