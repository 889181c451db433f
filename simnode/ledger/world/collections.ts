import { Random } from './random.ts'
import { accountAt } from './account.ts'
import type { Account } from './account.ts'

/** A kind of item that can be owned. */
export interface Collection {
  /** Position among the collections. */
  readonly index: number
  /** Name of the contract. */
  readonly name: string
  /** As people write it. */
  readonly title: string
  readonly contract: Account
  /** E.g. `A.0b2a3299cc857e29.TopShot.NFT`. */
  readonly itemType: string
  readonly storagePath: string
  readonly publicPath: string
}

/** How many items of each collection there are before the first block; their ids are 1 to this. */
export const genesisItems = 1_200
/** The first ones of each collection are the most wanted. */
const wanted = 120

export const collections: readonly Collection[] = [
  collection(0, 'Herons', 'Herons', 20),
  collection(1, 'NightTrains', 'Night Trains', 21),
]

/** The uuid of the collection resource in an account. */
export function collectionUuid({ index }: Collection, account: Account): number {
  return 2 ** 50 + index * 2 ** 40 + account.index
}

export function itemUuid({ index }: Collection, id: number): number {
  return 2 ** 51 + index * 2 ** 44 + id
}

/** What is chosen from for each trait of an item, by collection; the first trait is in the item's name. */
const choices: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Herons: {
    Species: ['Grey Heron', 'Purple Heron', 'Reef Heron', 'Tiger Heron', 'Whistling Heron', 'Great Blue Heron'],
    Water: ['Lagoon', 'Rice field', 'Tidal flat', 'Mill pond', 'Delta'],
    Hour: ['Dawn', 'Noon', 'Dusk', 'Night'],
    Catch: ['Nothing', 'Nothing', 'Minnow', 'Eel', 'A golden carp'],
  },
  NightTrains: {
    Route: [
      'Wien – Roma',
      'Oslo – Bergen',
      'Paris – Nice',
      'Berlin – Malmö',
      'London – Fort William',
      'İstanbul – София',
      '東京 – 出雲',
    ],
    Carriage: ['Seat', 'Couchette', 'Sleeper', 'Dining car'],
    Weather: ['Clear', 'Rain', 'Snow', 'Fog'],
    Livery: ['Blue', 'Bordeaux', 'Green', 'Cream'],
  },
}

/** What an item is called, as its event and its views tell. */
export function itemName(collection: Collection, id: number): string {
  return `${Object.values(itemTraits(collection, id))[0] ?? collection.name} #${id}`
}

/** Values by name, as an item's event and its views tell. */
export function itemTraits({ index, name }: Collection, id: number): Readonly<Record<string, string>> {
  const random = new Random(index, id)
  return Object.fromEntries(Object.entries(choices[name] ?? {}).map(([trait, values]) => [trait, random.pick(values)]))
}

/** Some item: a few are wanted by many, and change hands again and again. @param count how many there are */
export function drawItem(random: Random, count: number): number {
  return random.between(1, random.percent(40) ? wanted : count)
}

function collection(index: number, name: string, title: string, account: number): Collection {
  const contract = accountAt(account)
  return {
    index,
    name,
    title,
    contract,
    itemType: `A.${contract.hex}.${name}.NFT`,
    storagePath: `/storage/${name}Collection`,
    publicPath: `/public/${name}Collection`,
  }
}
