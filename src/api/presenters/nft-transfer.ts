import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { nftTypeFormat } from './nft-collection.ts'
import { nameOfItem, nftIdFormat } from './nft-item.ts'
import { partyFormat, presentTransfer, transferFields, transferRowFields } from './transfer.ts'

export const nftTransferTypes = ['transfer', 'mint', 'burn', 'bridge', 'escrow', 'deposit', 'withdrawal'] as const

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
        'transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out again; ' +
          'deposit: from where no event tells; withdrawal: to where no event tells.',
      ),
    nft_type: nftTypeFormat.nullable().describe(`Collection, \`A.<address>.<name>\`. ${collectionUnknown}`),
    nft_id: nftIdFormat,
    name: z.string().describe('What the item calls itself, else the name of the contract with #id.'),
    thumbnail: z
      .string()
      .nullable()
      .describe(
        'A URI; null where the item does not say it, was not asked yet, or has an image itself for it, data:…, which the ' +
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
