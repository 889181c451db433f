import { Random } from './random.ts'
import { accountAt } from './account.ts'
import type { Account } from './account.ts'

export interface Collection {
  readonly index: number
  readonly name: string
  readonly title: string
  readonly contract: Account
  /** E.g. `A.0b2a3299cc857e29.TopShot.NFT`. */
  readonly itemType: string
  readonly storagePath: string
  readonly publicPath: string
}

/** Ids are 1 to this. */
export const genesisItems = 1_200
/** The first items are traded most. */
const wanted = 120

export const collections: readonly Collection[] = [
  collection(0, 'Herons', 'Herons', 20),
  collection(1, 'NightTrains', 'Night Trains', 21),
]

export function collectionUuid({ index }: Collection, account: Account): number {
  return 2 ** 50 + index * 2 ** 40 + account.index
}

export function itemUuid({ index }: Collection, id: number): number {
  return 2 ** 51 + index * 2 ** 44 + id
}

/** The first trait is in the item's name. */
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

export function itemName(collection: Collection, id: number): string {
  return `${Object.values(itemTraits(collection, id))[0] ?? collection.name} #${id}`
}

export function itemTraits({ index, name }: Collection, id: number): Readonly<Record<string, string>> {
  const random = new Random(index, id)
  return Object.fromEntries(Object.entries(choices[name] ?? {}).map(([trait, values]) => [trait, random.pick(values)]))
}

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
