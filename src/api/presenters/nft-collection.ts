import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { addressFormat, countFormat, heightFormat, timestampFormat } from '../formats/formats.ts'

/** `A.<address>.<name>`, and a further part where items of a contract are not named NFT. */
export const nftTypeFormat = z
  .string()
  .regex(/^A\.[0-9a-f]{16}\.\w+(\.\w+)*$/)
  .describe('Collection, `A.<address>.<name>`; a further part where its items are not named NFT.')

const unsaid = 'Null where the contract does not say it, or was not asked yet.'

/** What a collection is called and looks like. */
export const nftCollectionFaceFields = {
  id: nftTypeFormat,
  nft_type: nftTypeFormat.describe('The same as id.'),
  address: addressFormat.describe('Account of the contract.'),
  contract_name: z.string(),
  name: z.string().describe('What the contract calls the collection, else contract_name.'),
  display_name: z.string().describe('The same as name; some clients of the Flow explorer API read this.'),
  description: z.string().nullable().describe(unsaid),
  external_url: z.string().nullable().describe(unsaid),
  square_image: z.string().nullable().describe(unsaid),
  banner_image: z.string().nullable().describe(unsaid),
  socials: z.record(z.string(), z.string()).nullable().describe(`Addresses by the name of the network. ${unsaid}`),
  evm_address: z
    .string()
    .nullable()
    .describe('The ERC-721 that the bridge has associated with it; null where there is none.'),
  evm_bridged: z.boolean().describe('Whether there is one.'),
  is_verified: z.boolean().describe('Whether the account of the contract is a known one: it has a label.'),
}

/** A collection. */
export const nftCollectionSchema = z
  .strictObject({
    ...nftCollectionFaceFields,
    storage_path: z.string().nullable().describe(`Where accounts keep it, /storage/…. ${unsaid}`),
    public_path: z.string().nullable().describe(`Where it can be looked at, /public/…. ${unsaid}`),
    number_of_tokens: countFormat.describe("Items that are in somebody's collection, by their transfers."),
    seen_count: countFormat.describe('Items that ever moved, those that are no more included.'),
    holder_count: countFormat.describe('Accounts that own at least one item, by their transfers.'),
    transfer_count: countFormat.describe('Transfers of its items that are indexed.'),
    recent_transfer_count: countFormat.describe(
      'Those of the last 24 indexed hours, without what the bridge locks up and gives back.',
    ),
    mint_count: countFormat.describe('Items that were minted.'),
    burn_count: countFormat.describe('Items that were destroyed by an event that names the collection.'),
    first_height: heightFormat.nullable().describe('Block of the first transfer that is indexed.'),
    timestamp: timestampFormat.nullable().describe('Time of that block.'),
    updated_at: timestampFormat.nullable().describe('When the contract was last asked what it says of the collection.'),
  })
  .meta({ id: 'NftCollection' })
export type NftCollection = z.output<typeof nftCollectionSchema>

/** What contracts say, as it is read from the database. */
export const nftCollectionFaceRow = z.object({
  token: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  external_url: z.string().nullable(),
  square_image: z.string().nullable(),
  banner_image: z.string().nullable(),
  socials: z.record(z.string(), z.string()).nullable(),
  evm_address: z.string().nullable(),
  is_verified: z.boolean(),
})
export type NftCollectionFaceRow = z.output<typeof nftCollectionFaceRow>
type NftCollectionFace = z.output<z.ZodObject<typeof nftCollectionFaceFields>>

/** A collection as it is read from the database, with its count in the order of the list. */
export const nftCollectionRow = nftCollectionFaceRow.extend({
  count: z.number(),
  storage_path: z.string().nullable(),
  public_path: z.string().nullable(),
  asked_at: z.string().nullable(),
  item_count: z.number(),
  seen_count: z.number(),
  holder_count: z.number(),
  transfer_count: z.number(),
  recent_count: z.number(),
  mint_count: z.number(),
  burn_count: z.number(),
  first_height: z.number().nullable(),
})
export type NftCollectionRow = z.output<typeof nftCollectionRow>

export function presentNftCollectionFace(row: NftCollectionFaceRow): NftCollectionFace {
  const { token, name, description, external_url, square_image, banner_image, socials, evm_address, is_verified } = row
  const contractName = contractParts(token).name
  return {
    id: token,
    nft_type: token,
    address: contractParts(token).address,
    contract_name: contractName,
    name: name ?? contractName,
    display_name: name ?? contractName,
    description,
    external_url,
    square_image,
    banner_image,
    socials,
    evm_address,
    evm_bridged: evm_address !== null,
    is_verified,
  }
}

/** @param times times of blocks by height; that of the first height is among them */
export function presentNftCollection(row: NftCollectionRow, times: ReadonlyMap<number, string>): NftCollection {
  return {
    ...presentNftCollectionFace(row),
    storage_path: row.storage_path,
    public_path: row.public_path,
    number_of_tokens: row.item_count,
    seen_count: row.seen_count,
    holder_count: row.holder_count,
    transfer_count: row.transfer_count,
    recent_transfer_count: row.recent_count,
    mint_count: row.mint_count,
    burn_count: row.burn_count,
    first_height: row.first_height,
    timestamp: row.first_height === null ? null : (times.get(row.first_height) ?? null),
    updated_at: row.asked_at,
  }
}
