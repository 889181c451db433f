import { z } from 'zod'
import { contractKinds } from '../contracts/schema.ts'
import { evmTokenSchema } from '../evm/token-schema.ts'
import type { EvmToken } from '../evm/token-schema.ts'
import { addressFormat, contractParts, countFormat, heightFormat, pickFields } from '../formats.ts'
import { nftItemSchema, nftTypeFormat } from '../nfts/schema.ts'
import type { NftCollectionRow, NftItem } from '../nfts/schema.ts'
import type { FungibleTokenRow } from '../tokens/schema.ts'
import { partyFormat } from '../tokens/transfer-lists.ts'
import { nameMatches } from './name-index.ts'
import type { NameMatch } from './name-index.ts'
import { hitTypes } from './search-text.ts'

const searchHitSchema = z
  .strictObject({
    type: z.enum(hitTypes),
    id: z.string().describe('Id, hash, address or number, as in the path.'),
    block_height: heightFormat.nullable().describe('Null if the match does not belong to a block.'),
    path: z.string().describe('API path of the resource.'),
    note: z.string().optional().describe('Why it matches, e.g. `first block of 2026-11-20, UTC`.'),
  })
  .meta({ id: 'SearchHit' })
export type SearchHit = z.output<typeof searchHitSchema>

const matchFormat = z.enum(nameMatches).describe('How the name matches; `similar`: despite typing errors.')

const foundContractSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    name: z.string(),
    kind: z.enum(contractKinds).nullable().describe('Null if the code is unknown.'),
    dependent_count: countFormat.describe('Contracts that import it.'),
    match: matchFormat,
  })
  .meta({ id: 'FoundContract' })
export type FoundContract = z.output<typeof foundContractSchema>

const foundTokenSchema = z
  .strictObject({
    id: z.string().describe('`A.<address>.<name>`'),
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('Published name, else contract_name.'),
    symbol: z.string().nullable(),
    market_symbol: z.string().nullable().describe('Null without a price from the last 48 hours.'),
    logo: z.string().nullable().describe('Image URL.'),
    holder_count: countFormat,
    is_verified: z.boolean().describe('Whether the contract account has a label.'),
    match: matchFormat,
  })
  .meta({ id: 'FoundToken' })
type FoundToken = z.output<typeof foundTokenSchema>

const foundEvmTokenSchema = evmTokenSchema
  .pick({ address: true, type: true, name: true, symbol: true, icon_url: true, holders: true })
  .extend({ match: matchFormat })
  .meta({ id: 'FoundEvmToken' })
export type FoundEvmToken = z.output<typeof foundEvmTokenSchema>

const foundCollectionSchema = z
  .strictObject({
    id: nftTypeFormat,
    address: addressFormat,
    contract_name: z.string(),
    name: z.string().describe('Published name, else contract_name.'),
    item_count: countFormat.describe('Items with an owner.'),
    square_image: z.string().nullable(),
    is_verified: z.boolean().describe('Whether the contract account has a label.'),
    match: matchFormat,
  })
  .meta({ id: 'FoundNftCollection' })
type FoundCollection = z.output<typeof foundCollectionSchema>

const foundItemSchema = nftItemSchema
  .pick({ nft_type: true, id: true, name: true, thumbnail: true, owner: true })
  .extend({ match: matchFormat })
  .meta({ id: 'FoundNftItem' })
export type FoundItem = z.output<typeof foundItemSchema>

const foundAccountSchema = z
  .strictObject({
    address: partyFormat,
    tag: z.string(),
    label: z.string(),
    category: z.string(),
    match: matchFormat,
  })
  .meta({ id: 'FoundAccount' })
export type FoundAccount = z.output<typeof foundAccountSchema>
export const labelRow = foundAccountSchema.omit({ match: true })

const foundEventTypeSchema = z
  .strictObject({
    type: z.string().describe('`A.<address>.<contract>.<event>`, or `flow.<event>`.'),
    event_count: countFormat.describe('Indexed events.'),
    match: matchFormat,
  })
  .meta({ id: 'FoundEventType' })
export type FoundEventType = z.output<typeof foundEventTypeSchema>

const foundOwnTableSchema = z
  .strictObject({
    worker: z.string(),
    table: z.string().nullable().describe('Null: the worker itself.'),
    comment: z.string(),
    match: matchFormat,
  })
  .meta({ id: 'FoundOwnTable' })

const sorted = 'Best match first, then by'

export const searchResultSchema = z
  .strictObject({
    hits: z
      .array(searchHitSchema)
      .describe('Exact matches. Several for a shortened identifier that is ambiguous, and for a day.'),
    contracts: z.array(foundContractSchema).describe(`${sorted} dependent contracts.`),
    tokens: z.array(foundTokenSchema).describe(`Fungible tokens. ${sorted} holders.`),
    evm_tokens: z.array(foundEvmTokenSchema).describe(`${sorted} holders.`),
    nft_collections: z.array(foundCollectionSchema).describe(`${sorted} holders.`),
    accounts: z.array(foundAccountSchema).describe('Accounts with a matching label.'),
    nft_items: z
      .array(foundItemSchema)
      .describe('Items with a matching name, or of a matching collection with the id.'),
    event_types: z.array(foundEventTypeSchema).describe(`${sorted} events.`),
    own_tables: z.array(foundOwnTableSchema).describe('Tables of `/own`, and their workers.'),
  })
  .meta({ id: 'SearchResult' })
export type SearchResult = z.output<typeof searchResultSchema>

export const searchExampleSchema = z
  .strictObject({
    kind: z.enum(['block', 'day', 'transaction', 'account', 'token', 'nft_collection', 'contract', 'event_type']),
    text: z.string().describe('Search text that finds it.'),
  })
  .meta({ id: 'SearchExample' })
export type SearchExample = z.output<typeof searchExampleSchema>

export function presentFoundToken(row: FungibleTokenRow, match: NameMatch): FoundToken {
  return pickFields(foundTokenSchema, { ...row, ...contractIdentity(row), match })
}

export function presentFoundEvmToken(token: EvmToken, match: NameMatch): FoundEvmToken {
  return pickFields(foundEvmTokenSchema, { ...token, match })
}

export function presentFoundCollection(row: NftCollectionRow, match: NameMatch): FoundCollection {
  return pickFields(foundCollectionSchema, {
    ...row,
    ...contractIdentity(row),
    item_count: row.number_of_tokens,
    match,
  })
}

export function presentFoundItem(item: NftItem, match: NameMatch): FoundItem {
  return pickFields(foundItemSchema, { ...item, match })
}

function contractIdentity({ token, name }: { token: string; name: string | null }) {
  const { address, name: contractName } = contractParts(token)
  return { id: token, address, contract_name: contractName, name: name ?? contractName }
}
