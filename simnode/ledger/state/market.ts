import type { StatePart } from '../world/cycle.ts'
import type { Account } from '../world/account.ts'
import type { Collection } from '../world/collections.ts'
import { eventShape, optional } from '../encoding/cadence-type.ts'
import type { CadenceType, CompositeType } from '../encoding/cadence-type.ts'
import { collections } from '../world/collections.ts'
import { flow, systemAccounts } from '../world/tokens.ts'

/** An item that is for sale. */
export interface Listing {
  /** The uuid of the resource. */
  readonly uuid: number
  readonly seller: Account
  readonly collection: Collection
  readonly id: number
  /** In units of 10^-8 FLOW. */
  readonly price: bigint
  /** Seconds since 1970. */
  readonly expiry: number
}

/** What is for sale. All that is listed in a cycle is sold or taken back in it. */
export class Market implements StatePart {
  readonly #listings = new Map<number, Listing>()
  readonly #touched = new Set<number>()

  /** @param place who asks for it again knows where */
  list(place: number, listing: Listing): void {
    this.#listings.set(place, listing)
    this.#touched.add(place)
  }

  at(place: number): Listing | undefined {
    return this.#listings.get(place)
  }

  take(place: number): void {
    this.#listings.delete(place)
  }

  *touched(): Generator<string> {
    for (const place of this.#touched) yield String(place)
  }

  read(key: string): string {
    return String(this.#listings.get(Number(key))?.uuid ?? '-')
  }
}

/** The uuid of an account's storefront, which everybody has from the beginning. */
export function storefrontUuid({ index }: Account): number {
  return 2 ** 52 + index
}

const storefront = `A.${systemAccounts.service.hex}.NFTStorefrontV2`

/** What all events of a listing tell of it, by the type that they tell types with. */
const of = (type: 'Type' | 'String'): Readonly<Record<string, CadenceType>> => ({
  nftType: type,
  nftUUID: 'UInt64',
  nftID: 'UInt64',
  salePaymentVaultType: type,
  salePrice: 'UFix64',
  customID: optional('String'),
  commissionAmount: 'UFix64',
})
const ended = { listingResourceID: 'UInt64', storefrontResourceID: 'UInt64', purchased: 'Bool' } as const

/** Source: onflow/nft-storefront `contracts/NFTStorefrontV2.cdc`. */
export const marketShapes = {
  available: eventShape(`${storefront}.ListingAvailable`, {
    storefrontAddress: 'Address',
    listingResourceID: 'UInt64',
    ...of('Type'),
    commissionReceivers: optional({ kind: 'array', element: 'Address' }),
    expiry: 'UInt64',
  }),
  completed: eventShape(`${storefront}.ListingCompleted`, {
    ...ended,
    ...of('Type'),
    commissionReceiver: optional('Address'),
    expiry: 'UInt64',
  }),
  destroyed: eventShape(`${storefront}.Listing.ResourceDestroyed`, {
    ...ended,
    ...of('String'),
    commissionReceiver: optional('Address'),
    expiry: 'UInt64',
  }),
} as const

const resource = (id: string, fields: Readonly<Record<string, CadenceType>>): CompositeType => ({
  ...eventShape(id, { uuid: 'UInt64', ...fields }),
  kind: 'resource',
})

/** The type of what is paid with. */
export const flowVault: CompositeType = resource(flow.vaultType, { balance: 'UFix64' })

const items = collections.map(({ itemType }) => resource(itemType, { id: 'UInt64', name: 'String' }))

/** The type of what is sold. */
export function itemTypeOf({ index, itemType }: Collection): CompositeType {
  const found = items[index]
  if (found === undefined) throw new RangeError(`There is no ${itemType}`)
  return found
}
