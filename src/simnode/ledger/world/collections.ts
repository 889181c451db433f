import { accountAt } from './account.ts'
import type { Account } from './account.ts'

/** A kind of item that can be owned. */
export interface Collection {
  /** Position among the collections. */
  readonly index: number
  /** Name of the contract. */
  readonly name: string
  readonly contract: Account
  /** E.g. `A.0b2a3299cc857e29.TopShot.NFT`. */
  readonly itemType: string
  readonly storagePath: string
  readonly publicPath: string
}

/** How many items of each collection there are before the first block; their ids are 1 to this. */
export const genesisItems = 20_000

export const collections: readonly Collection[] = [collection(0, 'Herons', 20), collection(1, 'NightTrains', 21)]

/** The uuid of the collection resource in an account. */
export function collectionUuid({ index }: Collection, account: Account): number {
  return 2 ** 50 + index * 2 ** 40 + account.index
}

export function itemUuid({ index }: Collection, id: number): number {
  return 2 ** 51 + index * 2 ** 44 + id
}

const kinds = ['Grey', 'Purple', 'Reef', 'Tiger', 'Whistling', 'Bare-throated'] as const

/** What an item is called, as its event and its views tell. */
export function itemName(id: number): string {
  return `${kinds[(id * 7) % kinds.length] ?? kinds[0]} #${id}`
}

/** Values by name, as an item's event and its views tell. */
export function itemTraits(id: number): Readonly<Record<string, string>> {
  return { series: String(id % 7) }
}

function collection(index: number, name: string, account: number): Collection {
  const contract = accountAt(account)
  return {
    index, name, contract,
    itemType: `A.${contract.hex}.${name}.NFT`,
    storagePath: `/storage/${name}Collection`,
    publicPath: `/public/${name}Collection`,
  }
}
