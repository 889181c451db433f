import type { StatePart } from '../state/state-part.ts'
import type { Account } from '../world/account.ts'
import type { Collection } from '../world/collections.ts'

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

/** What is for sale. All that is listed in a tide is sold or taken back in it. */
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
