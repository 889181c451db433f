import { z } from 'zod'
import { contractOf } from '../../chain/tokens/token-id.ts'
import { contractParts } from '../formats/contract-parts.ts'
import { heightFormat, timestampFormat } from '../formats/formats.ts'
import { nftTypeFormat } from './nft-collection.ts'
import { partyFormat } from './transfer.ts'

/** The id of an item as it stands in cursors. */
export const nftIdPart = /\d{1,20}/

const wholeNumber = z
  .string()
  .regex(new RegExp(`^${nftIdPart.source}$`))
  .describe('A whole number below 2^64 as text, so that it stays exact.')

/** The id of an item within its collection. */
export const nftIdFormat = wholeNumber.describe('Id within the collection: a whole number below 2^64, as text.')

const unsaid = 'Null where the item does not say it, or was not asked yet.'

const traitSchema = z.object({
  name: z.string(),
  value: z.string().nullable().describe('Null for values that are no text and no number.'),
  displayType: z.string().nullable(),
  rarity: z.string().nullable(),
})

/** An item of a collection. */
export const nftItemSchema = z
  .strictObject({
    id: nftIdFormat,
    nft_id: nftIdFormat.describe('The same as id.'),
    uuid: wholeNumber.nullable().describe('Uuid of the resource; null where it did not move since Cadence 1.0.'),
    nft_type: nftTypeFormat,
    type: z.string().describe('Cadence type of the item.'),
    name: z.string().describe('What the item calls itself, else the name of the contract with #id.'),
    description: z.string().nullable().describe(unsaid),
    thumbnail: z.string().nullable().describe(`A URI, maybe the image itself as data:…. ${unsaid}`),
    external_url: z.string().nullable().describe(unsaid),
    serial_number: wholeNumber.nullable().describe(unsaid),
    edition_name: z.string().nullable().describe(unsaid),
    edition_number: wholeNumber.nullable().describe(unsaid),
    edition_max: wholeNumber.nullable().describe(unsaid),
    rarity_score: z.string().nullable().describe(unsaid),
    rarity_description: z.string().nullable().describe(unsaid),
    traits: z.array(traitSchema).nullable().describe(unsaid),
    owner: partyFormat.nullable().describe('Who has it now; null where it is no more, or lies where no event tells.'),
    current_owner: partyFormat.nullable().describe('The same as owner.'),
    owner_source: z
      .enum(['transfers', 'chain'])
      .describe('What tells the owner: its transfers, or the chain itself, which was asked since and says otherwise.'),
    is_burned: z.boolean().describe('It was destroyed.'),
    block_height: heightFormat.describe('Block of its last transfer, or at which the chain was asked for its owner.'),
    timestamp: timestampFormat.nullable().describe('Time of that block; null where the block is not stored.'),
    updated_at: timestampFormat.nullable().describe('When it was last asked what it says of itself.'),
  })
  .meta({ id: 'NftItem' })
export type NftItem = z.output<typeof nftItemSchema>

/** An item as it is read from the database. */
export const nftItemRow = z.object({
  token: z.string(),
  nft_id: z.string(),
  uuid: z.string().nullable(),
  owner: z.string().nullable(),
  is_corrected: z.boolean(),
  is_burned: z.boolean(),
  block_height: z.number(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  thumbnail: z.string().nullable(),
  external_url: z.string().nullable(),
  serial_number: z.string().nullable(),
  edition_name: z.string().nullable(),
  edition_number: z.string().nullable(),
  edition_max: z.string().nullable(),
  rarity_score: z.string().nullable(),
  rarity_description: z.string().nullable(),
  traits: z.array(traitSchema).nullable(),
  asked_at: z.string().nullable(),
})
export type NftItemRow = z.output<typeof nftItemRow>

/** What an item is called that says nothing of itself. */
export function nameOfItem(token: string, id: string): string {
  return `${contractParts(token).name} #${id}`
}

/** @param times times of blocks by height */
export function presentNftItem(row: NftItemRow, times: ReadonlyMap<number, string>): NftItem {
  const { token, nft_id, owner } = row
  return {
    id: nft_id,
    nft_id,
    uuid: row.uuid,
    nft_type: token,
    type: contractOf(token) === token ? `${token}.NFT` : token,
    name: row.name ?? nameOfItem(token, nft_id),
    description: row.description,
    thumbnail: row.thumbnail,
    external_url: row.external_url,
    serial_number: row.serial_number,
    edition_name: row.edition_name,
    edition_number: row.edition_number,
    edition_max: row.edition_max,
    rarity_score: row.rarity_score,
    rarity_description: row.rarity_description,
    traits: row.traits,
    owner,
    current_owner: owner,
    owner_source: row.is_corrected ? 'chain' : 'transfers',
    is_burned: row.is_burned,
    block_height: row.block_height,
    timestamp: times.get(row.block_height) ?? null,
    updated_at: row.asked_at,
  }
}
