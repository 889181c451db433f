import { itemName, itemTraits } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import { flow } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import type { CollectionFace, ItemFace, TokenFace } from './script-state.ts'

const site = 'https://simulated.example.org'

/** What a token's contract says of it. @param totalSupply decimal text with eight decimals */
export function tokenFace(token: Token, totalSupply: string): TokenFace {
  const { name, symbol, storagePath, receiverPath, balancePath } = token
  const page = `${site}/tokens/${symbol}`
  return {
    name: token === flow ? 'FLOW Network Token' : name, symbol,
    description: `${symbol}, a token of the simulated chain.`,
    externalUrl: page, logo: `${page}.svg`, socials: { site: page }, vaultPath: storagePath, receiverPath, balancePath, totalSupply,
  }
}

/** What the contract of a collection says of it. */
export function collectionFace({ name, storagePath, publicPath }: Collection): CollectionFace {
  const page = `${site}/collections/${name}`
  return {
    name, description: `${name} of the simulated chain.`, externalUrl: page, squareImage: `${page}/square.png`,
    bannerImage: `${page}/banner.png`, socials: { site: page }, storagePath, publicPath,
  }
}

const rarities = ['Common', 'Common', 'Common', 'Uncommon', 'Rare'] as const

/** What an item says of itself. */
export function itemFace({ name }: Collection, id: number, uuid: number): ItemFace {
  const page = `${site}/collections/${name}/${id}`
  const description = rarities[(id * 7) % rarities.length] ?? 'Common'
  return {
    uuid: BigInt(uuid), name: itemName(id), description: `Number ${id} of ${name}.`,
    thumbnail: `${page}.png`, externalUrl: page, serialNumber: BigInt(id), edition: { name, number: BigInt(id) },
    rarity: { description }, traits: Object.entries(itemTraits(id)).map(([trait, value]) => ({ name: trait, value })),
  }
}
