import type { StatePart } from '../world/cycle.ts'
import type { Account } from '../world/account.ts'
import type { Collection } from '../world/collections.ts'
import { compositeType, eventShape, optional } from '../encoding/cadence.ts'
import type { CadenceType, CompositeType } from '../encoding/cadence.ts'
import { collections } from '../world/collections.ts'
import { flow, systemAccounts } from '../world/tokens.ts'

export interface Listing {
  readonly uuid: number
  readonly seller: Account
  readonly collection: Collection
  readonly id: number
  /** In units of 10^-8 FLOW. */
  readonly price: bigint
  /** Seconds since 1970. */
  readonly expiry: number
}

/** All listings close in the cycle that opens them. */
export class Market implements StatePart {
  readonly #listings = new Map<number, Listing>()
  readonly #touched = new Set<number>()

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

export function storefrontUuid({ index }: Account): number {
  return 2 ** 52 + index
}

const storefront = `A.${systemAccounts.service.hex}.NFTStorefrontV2`

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

const resource = (id: string, fields: Readonly<Record<string, CadenceType>>) =>
  compositeType('resource', id, { uuid: 'UInt64', ...fields })

export const flowVault = resource(flow.vaultType, { balance: 'UFix64' })

const items = collections.map(({ itemType }) => resource(itemType, { id: 'UInt64', name: 'String' }))

export function itemTypeOf({ index, itemType }: Collection): CompositeType {
  const found = items[index]
  if (found === undefined) throw new RangeError(`Unknown item type ${itemType}`)
  return found
}
