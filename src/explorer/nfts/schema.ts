import { z } from 'zod'
import { contractOf } from '../../flow/tokens/token-id.ts'
import {
  contractParts,
  addressFormat,
  countFormat,
  heightFormat,
  pickFields,
  timestampFormat,
  timeAt,
} from '../formats.ts'
import { partyFormat, presentTransfer, transferFields, transferRowFields } from '../tokens/transfer-lists.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'

export const nftTypeFormat = z
  .string()
  .regex(/^A\.[0-9a-f]{16}\.\w+(\.\w+)*$/)
  .describe('Collection, `A.<address>.<name>`, or `A.<address>.<name>.<type>` if the items are not named NFT.')

const unpublished = 'Null if not published, or not read yet.'

const collectionIdentityFields = {
  id: nftTypeFormat,
  nft_type: nftTypeFormat.describe('Alias of id.'),
  address: addressFormat.describe('Account that holds the contract.'),
  contract_name: z.string(),
  name: z.string().describe('Published name, else contract_name.'),
  display_name: z.string().describe('Alias of name.'),
  description: z.string().nullable().describe(unpublished),
  external_url: z.string().nullable().describe(unpublished),
  square_image: z.string().nullable().describe(unpublished),
  banner_image: z.string().nullable().describe(unpublished),
  socials: z.record(z.string(), z.string()).nullable().describe(`URLs by social network. ${unpublished}`),
  evm_address: z.string().nullable().describe('ERC-721 associated by the bridge, or null.'),
  evm_bridged: z.boolean().describe('Whether evm_address is set.'),
  is_verified: z.boolean().describe('Whether the contract account has a label.'),
}

export const nftCollectionSchema = z
  .strictObject({
    ...collectionIdentityFields,
    storage_path: z.string().nullable().describe(`Storage path of the collection, /storage/…. ${unpublished}`),
    public_path: z.string().nullable().describe(`Public path of the collection, /public/…. ${unpublished}`),
    number_of_tokens: countFormat.describe('Items with an owner, according to indexed transfers.'),
    seen_count: countFormat.describe('Items with an indexed transfer, including burned ones.'),
    holder_count: countFormat.describe('Accounts that own an item, according to indexed transfers.'),
    transfer_count: countFormat.describe('Indexed transfers.'),
    recent_transfer_count: countFormat.describe('Transfers in the last 24 indexed hours, excluding bridge escrow.'),
    mint_count: countFormat.describe('Minted items.'),
    burn_count: countFormat.describe('Items burned by an event that names the collection.'),
    first_height: heightFormat.nullable().describe('Block of the first indexed transfer.'),
    timestamp: timestampFormat.nullable().describe('Time of the first indexed transfer.'),
    updated_at: timestampFormat.nullable().describe('When the metadata was last read from the contract.'),
  })
  .meta({ id: 'NftCollection' })
export type NftCollection = z.output<typeof nftCollectionSchema>

const derivedIdentity = {
  id: true,
  nft_type: true,
  address: true,
  contract_name: true,
  display_name: true,
  evm_bridged: true,
} as const
const identityRow = { token: z.string(), name: z.string().nullable() }

/** `count` is the sort value. */
export const nftCollectionRow = nftCollectionSchema
  .omit({ ...derivedIdentity, timestamp: true })
  .extend({ ...identityRow, count: z.string() })
export type NftCollectionRow = z.output<typeof nftCollectionRow>

function identityOf({ token, name, evm_address }: { token: string; name: string | null; evm_address: string | null }) {
  const { address, name: contractName } = contractParts(token)
  const display = name ?? contractName
  return {
    id: token,
    nft_type: token,
    address,
    contract_name: contractName,
    name: display,
    display_name: display,
    evm_bridged: evm_address !== null,
  }
}

export function presentNftCollection(row: NftCollectionRow, times: ReadonlyMap<number, string>): NftCollection {
  return pickFields(nftCollectionSchema, { ...row, ...identityOf(row), timestamp: timeAt(times, row.first_height) })
}

export const nftIdPart = /\d{1,20}/

const wholeNumber = z
  .string()
  .regex(new RegExp(`^${nftIdPart.source}$`))
  .describe('UInt64, as a decimal string.')

const nftIdFormat = wholeNumber.describe('Id within the collection: UInt64, as a decimal string.')

const traitSchema = z.object({
  name: z.string(),
  value: z.string().nullable().describe('Null unless the value is a string or a number.'),
  displayType: z.string().nullable(),
  rarity: z.string().nullable(),
})

export const nftItemSchema = z
  .strictObject({
    id: nftIdFormat,
    nft_id: nftIdFormat.describe('Alias of id.'),
    uuid: wholeNumber.nullable().describe('Resource uuid. Null without a transfer since Cadence 1.0.'),
    nft_type: nftTypeFormat,
    type: z.string().describe('Cadence type.'),
    name: z.string().describe('Published name, else contract name and #id.'),
    description: z.string().nullable().describe(unpublished),
    thumbnail: z.string().nullable().describe(`Image URI, possibly a data: URI. ${unpublished}`),
    external_url: z.string().nullable().describe(unpublished),
    serial_number: wholeNumber.nullable().describe(unpublished),
    edition_name: z.string().nullable().describe(unpublished),
    edition_number: wholeNumber.nullable().describe(unpublished),
    edition_max: wholeNumber.nullable().describe(unpublished),
    rarity_score: z.string().nullable().describe(unpublished),
    rarity_description: z.string().nullable().describe(unpublished),
    traits: z.array(traitSchema).nullable().describe(unpublished),
    owner: partyFormat.nullable().describe('Current owner. Null if burned or unknown.'),
    current_owner: partyFormat.nullable().describe('Alias of owner.'),
    owner_source: z
      .enum(['transfers', 'chain'])
      .describe('Source of the owner: indexed transfers, or a later query of the chain that differed.'),
    is_burned: z.boolean().describe('Whether the item was burned.'),
    block_height: heightFormat.describe('Block of the last transfer, or at which the owner was queried.'),
    timestamp: timestampFormat.nullable().describe('Block time. Null if the block is not stored.'),
    updated_at: timestampFormat.nullable().describe('When the metadata was last read from the item.'),
  })
  .meta({ id: 'NftItem' })
export type NftItem = z.output<typeof nftItemSchema>

export const nftItemRow = nftItemSchema
  .omit({ id: true, nft_type: true, type: true, current_owner: true, owner_source: true, timestamp: true })
  .extend({ ...identityRow, is_corrected: z.boolean() })
export type NftItemRow = z.output<typeof nftItemRow>

function nameOfItem(token: string, id: string): string {
  return `${contractParts(token).name} #${id}`
}

export function presentNftItem(row: NftItemRow, times: ReadonlyMap<number, string>): NftItem {
  const { token, nft_id, owner } = row
  return pickFields(nftItemSchema, {
    ...row,
    id: nft_id,
    nft_type: token,
    type: contractOf(token) === token ? `${token}.NFT` : token,
    name: row.name ?? nameOfItem(token, nft_id),
    current_owner: owner,
    owner_source: row.is_corrected ? 'chain' : 'transfers',
    timestamp: timeAt(times, row.block_height),
  })
}

/** Flow or EVM. */
export const holderPart = /0x[0-9a-f]{16}(?:[0-9a-f]{24})?/

export const nftHolderSchema = z
  .strictObject({
    owner: partyFormat,
    nft_type: nftTypeFormat,
    count: countFormat.describe('Items owned, according to indexed transfers.'),
    percentage: z.number().min(0).max(1).describe('Share of all owned items of the collection, 0 to 1.'),
  })
  .meta({ id: 'NftHolder' })
export type NftHolder = z.output<typeof nftHolderSchema>

/** `total`: owned items of the collection. */
export const nftHolderRow = z.object({ owner: z.string(), count: z.number(), total: z.number() })
export type NftHolderRow = z.output<typeof nftHolderRow>

export function presentNftHolder(token: string, { owner, count, total }: NftHolderRow): NftHolder {
  return { owner, nft_type: token, count, percentage: count / total }
}

export const accountNftCollectionSchema = z
  .strictObject({
    ...collectionIdentityFields,
    number_of_tokens: countFormat.describe('Items owned, according to indexed transfers.'),
    chain_count: countFormat
      .nullable()
      .describe('Items found in the storage of the account when the chain was last queried. Null if it never was.'),
    chain_height: heightFormat.nullable().describe('Height of that query.'),
  })
  .meta({ id: 'AccountNftCollection' })
export type AccountNftCollection = z.output<typeof accountNftCollectionSchema>

export const accountNftCollectionRow = accountNftCollectionSchema.omit(derivedIdentity).extend(identityRow)
export type AccountNftCollectionRow = z.output<typeof accountNftCollectionRow>

export function presentAccountNftCollection(row: AccountNftCollectionRow): AccountNftCollection {
  return pickFields(accountNftCollectionSchema, { ...row, ...identityOf(row) })
}

const nftTransferTypes = ['transfer', 'mint', 'burn', 'bridge', 'escrow', 'deposit', 'withdrawal'] as const

const transferredCollectionSchema = z
  .strictObject({
    name: z.string().describe('Published name, else contract name.'),
    image: z.string().nullable().describe(`Image URL. ${unpublished}`),
    description: z.string().nullable().describe(unpublished),
  })
  .meta({ id: 'TransferredCollection' })

const collectionUnknown = 'Null if the item was burned by an event without its collection and has no earlier transfer.'

export const nftTransferSchema = z
  .strictObject({
    address: partyFormat.nullable().describe('Account of the list; null in lists over all accounts.'),
    ...transferFields,
    transfer_type: z
      .enum(nftTransferTypes)
      .describe(
        'transfer; mint; burn; bridge: into or out of Flow EVM; escrow: locked or released by the bridge; ' +
          'deposit: unknown sender; withdrawal: unknown receiver.',
      ),
    nft_type: nftTypeFormat.nullable().describe(`Collection, \`A.<address>.<name>\`. ${collectionUnknown}`),
    nft_id: nftIdFormat,
    name: z.string().describe('Published name, else contract name and #id.'),
    thumbnail: z.string().nullable().describe(`Image URI. data: URIs are omitted; see the item. ${unpublished}`),
    current_owner: partyFormat.nullable().describe('Current owner. Null if burned or unknown.'),
    collection: transferredCollectionSchema.nullable().describe(collectionUnknown),
  })
  .meta({ id: 'NftTransfer' })
export type NftTransfer = z.output<typeof nftTransferSchema>

export const nftTransferRow = z.object({
  ...transferRowFields,
  transfer_type: z.enum(nftTransferTypes),
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

/** @param address account of the list */
export function presentNftTransfer(row: NftTransferRow, address?: string): NftTransfer {
  const { token, nft_id } = row
  return {
    ...presentTransfer(row, address),
    transfer_type: row.transfer_type,
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
