import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { contractParameter } from './parameters.ts'
import { textParameter } from './text-parameter.ts'
import type { TextParameter } from './text-parameter.ts'
import type { NftCollectionRow } from '../presenters/nft-collection.ts'
import type { NftItemRow } from '../presenters/nft-item.ts'
import { readNftCollection } from '../queries/nft-collections.ts'
import { readNftItem } from '../queries/nft-items.ts'

/** Parameters and problems of the routes of one collection or item. */

export const nftTypeParameters = z.object({ nft_type: contractParameter('collections') })

export const unknownNftCollection = { 404: 'No item of the collection was seen to move.' }

export const unknownNftItem = { 404: 'Neither a transfer nor the chain has shown the item.' }

/** @throws ApiError 404 `unknown-collection` */
export async function requireNftCollection(database: DatabasePool, nftType: string): Promise<NftCollectionRow> {
  const row = await readNftCollection(database, nftType)
  if (row === undefined) {
    throw new ApiError(404, 'unknown-collection', `No item of ${nftType} was seen to move.`, { field: 'nft_type' })
  }
  return row
}

/** The id of an item, without leading zeros. */
export function nftIdParameter(): TextParameter {
  const problem = 'must be the id of an item: a whole number of at most 20 digits'
  return textParameter(/^0{0,20}[0-9]{1,20}$/, problem, (text) => String(BigInt(text))).describe(
    'Id of the item within the collection.',
  )
}

/** @throws ApiError 404 `unknown-item` */
export async function requireNftItem(database: DatabasePool, nftType: string, id: string): Promise<NftItemRow> {
  const row = await readNftItem(database, nftType, id)
  if (row === undefined)
    throw new ApiError(404, 'unknown-item', `Item ${id} of ${nftType} is not known.`, { field: 'id' })
  return row
}

/**
 * For lists with both as filters: ids are those of a collection.
 * @throws ApiError 400 where an id comes alone
 */
export function requireCollectionOfId(query: {
  readonly nft_type?: string | undefined
  readonly nft_id?: string | undefined
}): void {
  if (query.nft_id === undefined || query.nft_type !== undefined) return
  throw new ApiError(
    400,
    'invalid-parameter',
    'Parameter "nft_id" asks for "nft_type": ids are those of a collection.',
    { field: 'nft_id' },
  )
}
