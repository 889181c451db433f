import type { DraftEvent } from '../draft.ts'
import { eventShape, optional } from '../encoding/cadence-type.ts'
import type { EventShape } from '../encoding/cadence-type.ts'
import type { Account } from '../world/account.ts'
import { collections, collectionUuid, itemUuid } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import { systemAccounts } from '../world/tokens.ts'

const standard = `A.${systemAccounts.service.hex}.NonFungibleToken`
const itemFields = { type: 'String', id: 'UInt64', uuid: 'UInt64' } as const

const shapes = {
  withdrawn: eventShape(`${standard}.Withdrawn`, { ...itemFields, from: optional('Address'), providerUUID: 'UInt64' }),
  deposited: eventShape(`${standard}.Deposited`, { ...itemFields, to: optional('Address'), collectionUUID: 'UInt64' }),
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
  return { shape: shapes.withdrawn, values }
}

export function itemDeposited(collection: Collection, id: number, to: Account): DraftEvent {
  const values = [collection.itemType, id, itemUuid(collection, id), to.address, collectionUuid(collection, to)]
  return { shape: shapes.deposited, values }
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
