import { bannerPicture, itemPicture, tokenPicture } from './pictures.ts'
import { itemName, itemTraits } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import type { Token } from '../world/tokens.ts'
import type { CollectionMetadata, ItemMetadata, TokenMetadata } from './script-state.ts'

/** A name that nobody can have: what is linked is not there. */
const site = 'https://simulated.example.org'

const tokenTexts: Readonly<Record<string, string>> = {
  FLOW: 'Pays for transactions and storage, and is staked to run the network.',
  USDC: 'One is one dollar of the simulated world: minted against deposits, burnt when they are taken out.',
  PEB: 'Small, round, and of no use but to be given to each other.',
}
const collectionTexts: Readonly<Record<string, string>> = {
  Herons: 'Wading birds of all waters, each at its hour, most of them with nothing in the beak.',
  NightTrains: 'Carriages that go to sleep in one language and wake up in another.',
}

/** What a token's contract says of it. @param totalSupply decimal text with eight decimals */
export function tokenMetadata(token: Token, totalSupply: string): TokenMetadata {
  const { title, symbol, storagePath, receiverPath, balancePath } = token
  const page = `${site}/tokens/${symbol}`
  return {
    name: title,
    symbol,
    description: tokenTexts[symbol] ?? title,
    externalUrl: page,
    logo: tokenPicture(token),
    socials: { site: page },
    vaultPath: storagePath,
    receiverPath,
    balancePath,
    totalSupply,
  }
}

/** What the contract of a collection says of it. */
export function collectionMetadata(collection: Collection): CollectionMetadata {
  const { name, title, storagePath, publicPath } = collection
  const page = `${site}/collections/${name}`
  return {
    name: title,
    description: collectionTexts[name] ?? title,
    externalUrl: page,
    squareImage: itemPicture(collection, 1),
    bannerImage: bannerPicture(collection),
    socials: { site: page },
    storagePath,
    publicPath,
  }
}

const rarities: Readonly<Record<string, string>> = {
  'A golden carp': 'Legendary',
  Eel: 'Uncommon',
  'Dining car': 'Rare',
  Snow: 'Uncommon',
  '東京 – 出雲': 'Rare',
}

/** What an item says of itself. */
export function itemMetadata(collection: Collection, id: number, uuid: number): ItemMetadata {
  const { name, title } = collection
  const traits = Object.entries(itemTraits(collection, id)).map(([trait, value]) => ({ name: trait, value }))
  const rarity = traits.map(({ value }) => rarities[value]).find((found) => found !== undefined) ?? 'Common'
  return {
    uuid: BigInt(uuid),
    name: itemName(collection, id),
    description: `Number ${id} of the ${title}.`,
    thumbnail: itemPicture(collection, id),
    externalUrl: `${site}/collections/${name}/${id}`,
    serialNumber: BigInt(id),
    edition: { name: title, number: BigInt(id) },
    rarity: { description: rarity },
    traits,
  }
}
