import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { nftHolderRow } from '../presenters/nft-holder.ts'
import type { NftHolderRow } from '../presenters/nft-holder.ts'
import { selectRanked } from '../paging/ranked-rows.ts'
import type { Rank } from '../paging/ranked-rows.ts'

/** Up to `limit` holders of a collection after a place, those with most items first. */
export async function listNftHolders(
  database: DatabasePool,
  token: string,
  after: Rank | undefined,
  limit: number,
): Promise<readonly NftHolderRow[]> {
  return database.any(sql.type(nftHolderRow)`
    with page as materialized (${selectRanked(
      {
        columns: sql.fragment`h.address as key, h.item_count as count`,
        from: sql.fragment`app.nft_holdings h`,
        where: sql.fragment`h.token = ${token}`,
        count: sql.fragment`h.item_count`,
        key: sql.fragment`h.address`,
      },
      after,
      limit,
    )})
    select p.key as owner, p.count, s.item_count as total
    from page p join app.nft_collection_stats s on s.token = ${token}
    order by p.count desc, p.key
  `)
}
