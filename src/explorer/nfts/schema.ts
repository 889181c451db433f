import { z } from 'zod'
import { contractOf } from '../../flow/tokens/token-id.ts'
import { contractParts, addressFormat, countFormat, heightFormat, timestampFormat } from '../formats.ts'
import { partyFormat, presentTransfer, transferFields, transferRowFields } from '../tokens/transfer-lists.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'

/** `A.<address>.<name>`, and a further part where items of a contract are not named NFT. */
export const nftTypeFormat = z
  .string()
  .regex(/^A\.[0-9a-f]{16}\.\w+(\.\w+)*$/)
  .describe('Collection, `A.<address>.<name>`; a further part where its items are not named NFT.')

const unsaid = 'Null where the contract does not say it, or was not asked yet.'

/** What a collection is called and looks like. */
const nftCollectionFaceFields = {
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
const nftCollectionFaceRow = z.object({
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
type NftCollectionFaceRow = z.output<typeof nftCollectionFaceRow>
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

function presentNftCollectionFace(row: NftCollectionFaceRow): NftCollectionFace {
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

/** The id of an item as it stands in cursors. */
export const nftIdPart = /\d{1,20}/

const wholeNumber = z
  .string()
  .regex(new RegExp(`^${nftIdPart.source}$`))
  .describe('A whole number below 2^64 as text, so that it stays exact.')

/** The id of an item within its collection. */
const nftIdFormat = wholeNumber.describe('Id within the collection: a whole number below 2^64, as text.')

const unsaidOfItem = 'Null where the item does not say it, or was not asked yet.'

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
    description: z.string().nullable().describe(unsaidOfItem),
    thumbnail: z.string().nullable().describe(`A URI, maybe the image itself as data:…. ${unsaidOfItem}`),
    external_url: z.string().nullable().describe(unsaidOfItem),
    serial_number: wholeNumber.nullable().describe(unsaidOfItem),
    edition_name: z.string().nullable().describe(unsaidOfItem),
    edition_number: wholeNumber.nullable().describe(unsaidOfItem),
    edition_max: wholeNumber.nullable().describe(unsaidOfItem),
    rarity_score: z.string().nullable().describe(unsaidOfItem),
    rarity_description: z.string().nullable().describe(unsaidOfItem),
    traits: z.array(traitSchema).nullable().describe(unsaidOfItem),
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
function nameOfItem(token: string, id: string): string {
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

/** The address of a holder as it stands in cursors. */
export const holderPart = /0x[0-9a-f]{16}(?:[0-9a-f]{24})?/

/** Who owns items of a collection. */
export const nftHolderSchema = z
  .strictObject({
    owner: partyFormat,
    nft_type: nftTypeFormat,
    count: countFormat.describe('Items of the collection that it owns, by their transfers.'),
    percentage: z
      .number()
      .min(0)
      .max(1)
      .describe("What part that is of all items that are in somebody's collection, 0 to 1."),
  })
  .meta({ id: 'NftHolder' })
export type NftHolder = z.output<typeof nftHolderSchema>

/** A holder as it is read from the database, with the items that all have. */
export const nftHolderRow = z.object({ owner: z.string(), count: z.number(), total: z.number() })
export type NftHolderRow = z.output<typeof nftHolderRow>

export function presentNftHolder(token: string, { owner, count, total }: NftHolderRow): NftHolder {
  return { owner, nft_type: token, count, percentage: count / total }
}

/** A collection of which an account has items. */
export const accountNftCollectionSchema = z
  .strictObject({
    ...nftCollectionFaceFields,
    number_of_tokens: countFormat.describe('Items of the collection that the account has, by their transfers.'),
    chain_count: countFormat
      .nullable()
      .describe(
        "Items that the chain itself showed in the account's storage when it was last asked; null where it was not.",
      ),
    chain_height: heightFormat.nullable().describe('Height of the state that was looked at then.'),
  })
  .meta({ id: 'AccountNftCollection' })
export type AccountNftCollection = z.output<typeof accountNftCollectionSchema>

/** A collection of an account as it is read from the database. */
export const accountNftCollectionRow = nftCollectionFaceRow.extend({
  item_count: z.number(),
  held_count: z.number().nullable(),
  checked_height: z.number().nullable(),
})
export type AccountNftCollectionRow = z.output<typeof accountNftCollectionRow>

export function presentAccountNftCollection(row: AccountNftCollectionRow): AccountNftCollection {
  return {
    ...presentNftCollectionFace(row),
    number_of_tokens: row.item_count,
    chain_count: row.held_count,
    chain_height: row.held_count === null ? null : row.checked_height,
  }
}

const nftTransferTypes = ['transfer', 'mint', 'burn', 'bridge', 'escrow', 'deposit', 'withdrawal'] as const

/** What a transfer shows of its collection. */
const transferredCollectionSchema = z
  .strictObject({
    name: z.string().describe('What the contract calls the collection, else the name of the contract.'),
    image: z
      .string()
      .nullable()
      .describe('Address of an image; null where the contract does not say it, or was not asked yet.'),
    description: z.string().nullable().describe('Null like image.'),
  })
  .meta({ id: 'TransferredCollection' })

const collectionUnknown =
  'Null where an item was destroyed of which only id and uuid are told, and which was not seen before.'

/** A movement of an item. */
export const nftTransferSchema = z
  .strictObject({
    address: partyFormat.nullable().describe('The account whose transfers are listed; null in lists of all.'),
    ...transferFields,
    transfer_type: z
      .enum(nftTransferTypes)
      .describe(
        'transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given ' +
          'out again; ' +
          'deposit: from where no event tells; withdrawal: to where no event tells.',
      ),
    nft_type: nftTypeFormat.nullable().describe(`Collection, \`A.<address>.<name>\`. ${collectionUnknown}`),
    nft_id: nftIdFormat,
    name: z.string().describe('What the item calls itself, else the name of the contract with #id.'),
    thumbnail: z
      .string()
      .nullable()
      .describe(
        'A URI; null where the item does not say it, was not asked yet, or has an image itself for it, data:…, ' +
          'which the ' +
          'item shows.',
      ),
    current_owner: partyFormat
      .nullable()
      .describe('Who has the item now; null where it is no more, or lies where no event tells.'),
    collection: transferredCollectionSchema.nullable().describe(collectionUnknown),
  })
  .meta({ id: 'NftTransfer' })
export type NftTransfer = z.output<typeof nftTransferSchema>

/** A transfer as it is read from the database. */
export const nftTransferRow = z.object({
  ...transferRowFields,
  token: z.string().nullable(),
  nft_id: z.string(),
  item_name: z.string().nullable(),
  thumbnail: z.string().nullable(),
  current_owner: z.string().nullable(),
  collection_name: z.string().nullable(),
  collection_image: z.string().nullable(),
  collection_description: z.string().nullable(),
})
export type NftTransferRow = z.output<typeof nftTransferRow>

/** @param address the account whose transfers are listed */
export function presentNftTransfer(row: NftTransferRow, address?: string): NftTransfer {
  const { token, nft_id } = row
  return {
    ...presentTransfer(row, address),
    transfer_type: z.enum(nftTransferTypes).parse(row.transfer_type),
    nft_type: token,
    nft_id,
    name: row.item_name ?? (token === null ? `#${nft_id}` : nameOfItem(token, nft_id)),
    thumbnail: row.thumbnail,
    current_owner: row.current_owner,
    collection:
      token === null
        ? null
        : {
            name: row.collection_name ?? contractParts(token).name,
            image: row.collection_image,
            description: row.collection_description,
          },
  }
}

/** Examples of the routes of collections and items. */

const face = {
  id: 'A.0b2a3299cc857e29.TopShot',
  nft_type: 'A.0b2a3299cc857e29.TopShot',
  address: '0x0b2a3299cc857e29',
  contract_name: 'TopShot',
  name: 'NBA Top Shot',
  display_name: 'NBA Top Shot',
  description: 'Moments of the game.',
  external_url: 'https://nbatopshot.com',
  square_image: 'https://nbatopshot.com/static/img/og/og.png',
  banner_image: 'https://nbatopshot.com/static/img/top-shot-logo-horizontal-white.svg',
  socials: { twitter: 'https://twitter.com/nbatopshot' },
  evm_address: '0x84c6a2e6765e88427c41bb38c82a78b570e24709',
  evm_bridged: true,
  is_verified: true,
}

export const exampleNftCollection: NftCollection = {
  ...face,
  storage_path: '/storage/MomentCollection',
  public_path: '/public/MomentCollection',
  number_of_tokens: 41_250_312,
  seen_count: 42_310_977,
  holder_count: 702_418,
  transfer_count: 163_022_408,
  recent_transfer_count: 18_204,
  mint_count: 42_310_977,
  burn_count: 1_060_665,
  first_height: 7_669_371,
  timestamp: '2020-10-13T20:06:06.014Z',
  updated_at: '2025-07-01T08:00:00.000Z',
}

export const exampleAccountNftCollection: AccountNftCollection = {
  ...face,
  number_of_tokens: 12,
  chain_count: 12,
  chain_height: 118_541_200,
}

export const exampleNftHolder: NftHolder = {
  owner: '0xe467b9dd11fa00df',
  nft_type: face.id,
  count: 10_312_578,
  percentage: 0.25,
}

export const exampleNftItem: NftItem = {
  id: '18446744073709551615',
  nft_id: '18446744073709551615',
  uuid: '18691697672192',
  nft_type: face.id,
  type: `${face.id}.NFT`,
  name: 'Aaron Gordon Dunk',
  description: 'A dunk.',
  thumbnail: 'https://assets.nbatopshot.com/media/18?width=256',
  external_url: 'https://nbatopshot.com/moment/18',
  serial_number: '2711',
  edition_name: 'Series 1',
  edition_number: '2711',
  edition_max: '12000',
  rarity_score: null,
  rarity_description: 'Common',
  traits: [{ name: 'PlayCategory', value: 'Dunk', displayType: null, rarity: null }],
  owner: '0xe467b9dd11fa00df',
  current_owner: '0xe467b9dd11fa00df',
  owner_source: 'transfers',
  is_burned: false,
  block_height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
  updated_at: '2025-07-01T08:00:00.000Z',
}

export const exampleNftTransfer: NftTransfer = {
  address: null,
  transaction_hash: exampleTransaction.id,
  block_height: exampleBlock.height,
  tx_index: 0,
  event_index: 4,
  leg: 0,
  timestamp: exampleBlock.timestamp,
  sender: '0x18eb4ee6b3c026d2',
  receiver: '0xe467b9dd11fa00df',
  direction: 'deposit',
  transfer_type: 'transfer',
  nft_type: face.id,
  nft_id: exampleNftItem.id,
  name: exampleNftItem.name,
  thumbnail: exampleNftItem.thumbnail,
  current_owner: '0xe467b9dd11fa00df',
  collection: { name: face.name, image: face.square_image, description: face.description },
}
