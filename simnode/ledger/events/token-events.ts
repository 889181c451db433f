import type { DraftEvent } from './draft.ts'
import { eventShape, optional } from '../encoding/cadence-type.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import type { EventShape } from '../encoding/cadence-type.ts'
import { collections, collectionUuid, itemUuid } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'

const standard = `A.${systemAccounts.fungibleToken.hex}.FungibleToken`
const own = `A.${systemAccounts.flowToken.hex}.FlowToken`

const shapes = {
  withdrawn: eventShape(`${standard}.Withdrawn`, {
    type: 'String',
    amount: 'UFix64',
    from: optional('Address'),
    fromUUID: 'UInt64',
    withdrawnUUID: 'UInt64',
    balanceAfter: 'UFix64',
  }),
  deposited: eventShape(`${standard}.Deposited`, {
    type: 'String',
    amount: 'UFix64',
    to: optional('Address'),
    toUUID: 'UInt64',
    depositedUUID: 'UInt64',
    balanceAfter: 'UFix64',
  }),
  flowWithdrawn: eventShape(`${own}.TokensWithdrawn`, { amount: 'UFix64', from: optional('Address') }),
  flowDeposited: eventShape(`${own}.TokensDeposited`, { amount: 'UFix64', to: optional('Address') }),
  flowMinted: eventShape(`${own}.TokensMinted`, { amount: 'UFix64' }),
} as const

/** Tokens that go out of a vault, or into one. Amounts are in units of 10^-8. */
export interface VaultMove {
  readonly token: Token
  readonly amount: bigint
  /** In whose account the vault is; undefined where it is in none. */
  readonly account: Account | undefined
  readonly vaultUuid: number
  /** The vault in which the tokens travel. */
  readonly movedUuid: number
  readonly balanceAfter: bigint
}

/** The events of a withdrawal, in their order. FLOW has one of its own too, but for vaults of the service account. */
export function withdrawn(move: VaultMove): DraftEvent[] {
  const { token, amount, account, vaultUuid, movedUuid, balanceAfter } = move
  const address = account?.address ?? null
  const told = {
    shape: shapes.withdrawn,
    values: [token.vaultType, amount, address, vaultUuid, movedUuid, balanceAfter],
  }
  return tellsItself(move) ? [{ shape: shapes.flowWithdrawn, values: [amount, address] }, told] : [told]
}

/** The events of a deposit, in their order. */
export function deposited(move: VaultMove): DraftEvent[] {
  const { token, amount, account, vaultUuid, movedUuid, balanceAfter } = move
  const address = account?.address ?? null
  const told = {
    shape: shapes.deposited,
    values: [token.vaultType, amount, address, vaultUuid, movedUuid, balanceAfter],
  }
  return tellsItself(move) ? [{ shape: shapes.flowDeposited, values: [amount, address] }, told] : [told]
}

/** The event of new FLOW. */
export function flowMinted(amount: bigint): DraftEvent {
  return { shape: shapes.flowMinted, values: [amount] }
}

function tellsItself({ token, account }: VaultMove): boolean {
  return token === flow && account !== systemAccounts.service
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

/** @param traits by name */
export function itemMinted(
  collection: Collection,
  id: number,
  name: string,
  traits: Readonly<Record<string, string>>,
): DraftEvent {
  const values = [id, itemUuid(collection, id), name, Object.entries(traits)]
  return { shape: mintedShapes[collection.index] as EventShape, values }
}
