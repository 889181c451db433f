import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { accountNftCollectionRow } from '../presenters/account-nft.ts'
import type { AccountNftCollectionRow } from '../presenters/account-nft.ts'
import { nftCollectionFace } from './nft-collections.ts'

/**
 * Up to `limit` collections of which an account has items, after a collection, by identifier: by its transfers, or as
 * the chain showed when it was asked.
 */
export async function listNftCollectionsOfAccount(
  database: DatabasePool,
  account: string,
  after: string | undefined,
  limit: number,
): Promise<readonly AccountNftCollectionRow[]> {
  return database.any(sql.type(accountNftCollectionRow)`
    with page as materialized (
      (select token from app.nft_holdings
       where address = ${account} and token > ${after ?? ''} order by token limit ${limit})
      union
      (select token from app.nft_holder_checks
       where holder = ${account} and token > ${after ?? ''} and held_count > 0 order by token limit ${limit})
      order by token limit ${limit}
    )
    select p.token, coalesce(h.item_count, 0) as item_count, k.held_count, k.checked_height,
      ${nftCollectionFace(sql.fragment`p.token`)}
    from page p
    left join app.nft_holdings h on h.address = ${account} and h.token = p.token
    left join app.nft_holder_checks k on k.holder = ${account} and k.token = p.token
    left join app.nft_collection_metadata m on m.token = p.token
    order by p.token
  `)
}
