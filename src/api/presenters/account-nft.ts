import { z } from 'zod'
import { countFormat, heightFormat } from '../formats/formats.ts'
import { nftCollectionFaceFields, nftCollectionFaceRow, presentNftCollectionFace } from './nft-collection.ts'

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
