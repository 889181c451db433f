import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { addressFormat, countFormat, heightFormat } from '../formats/formats.ts'
import { contractKinds } from './contract.ts'
import type { FungibleTokenRow } from './fungible-token.ts'
import { nftTypeFormat } from './nft-collection.ts'
import type { NftCollectionRow } from './nft-collection.ts'
import { partyFormat } from './transfer.ts'

/** What a search names by its id, height or address. */
export const searchHitSchema = z
  .strictObject({
    type: z.enum([
      'block',
      'transaction',
      'evm_transaction',
      'account',
      'evm_address',
      'scheduled_transaction',
      'public_key',
    ]),
    id: z.string().describe('Id, hash, address or number, as the path wants it.'),
    block_height: heightFormat.nullable().describe('Block of what lies in one.'),
    path: z.string().describe('Where the API tells all of it.'),
  })
  .meta({ id: 'SearchHit' })
export type SearchHit = z.output<typeof searchHitSchema>

const foundContractSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    name: z.string(),
    kind: z.enum(contractKinds).nullable().describe('Null while its code is not known.'),
    dependent_count: countFormat.describe('Contracts that import it.'),
  })
  .meta({ id: 'FoundContract' })
export type FoundContract = z.output<typeof foundContractSchema>

const foundTokenSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('What the contract calls it, else contract_name.'),
    symbol: z.string().nullable(),
    market_symbol: z.string().nullable().describe('Null where no price of the last two days is known.'),
    logo: z.string().nullable().describe('Address of an image.'),
    holder_count: countFormat,
    is_verified: z.boolean().describe('Whether the account of the contract is a known one: it has a label.'),
  })
  .meta({ id: 'FoundToken' })
type FoundToken = z.output<typeof foundTokenSchema>

const foundCollectionSchema = z
  .strictObject({
    id: nftTypeFormat,
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('What the contract calls it, else contract_name.'),
    item_count: countFormat.describe("Items that are in somebody's collection."),
    square_image: z.string().nullable(),
    is_verified: z.boolean().describe('Whether the account of the contract is a known one: it has a label.'),
  })
  .meta({ id: 'FoundNftCollection' })
type FoundCollection = z.output<typeof foundCollectionSchema>

/** An account that is known by a name. */
export const foundAccountSchema = z
  .strictObject({
    address: partyFormat,
    tag: z.string(),
    label: z.string(),
    category: z.string(),
  })
  .meta({ id: 'FoundAccount' })
export type FoundAccount = z.output<typeof foundAccountSchema>

/** What a search found, each kind by its weight. */
export const searchResultSchema = z
  .strictObject({
    hits: z.array(searchHitSchema).describe('What the text names exactly.'),
    contracts: z.array(foundContractSchema).describe('By the number of contracts that import them.'),
    tokens: z.array(foundTokenSchema).describe('Fungible tokens, by holders.'),
    nft_collections: z.array(foundCollectionSchema).describe('By holders.'),
    accounts: z.array(foundAccountSchema).describe('Accounts that are known by such a name.'),
  })
  .meta({ id: 'SearchResult' })

export function presentFoundToken({ token, name, symbol, market_symbol, logo, ...row }: FungibleTokenRow): FoundToken {
  const contractName = contractParts(token).name
  return {
    id: token,
    address: contractParts(token).address,
    contract_name: contractName,
    name: name ?? contractName,
    symbol,
    market_symbol,
    logo,
    holder_count: row.holder_count,
    is_verified: row.is_verified,
  }
}

export function presentFoundCollection(row: NftCollectionRow): FoundCollection {
  const { token, name, item_count, square_image, is_verified } = row
  const contractName = contractParts(token).name
  return {
    id: token,
    address: contractParts(token).address,
    contract_name: contractName,
    name: name ?? contractName,
    item_count,
    square_image,
    is_verified,
  }
}
