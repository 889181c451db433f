import { z } from 'zod'
import { countFormat } from '../formats/formats.ts'
import { nftTypeFormat } from './nft-collection.ts'
import { partyFormat } from './transfer.ts'

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
