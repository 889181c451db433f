import { accountAt, contractAt, even, skewed, skewedNumber } from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** Items of collections, who has them, and what they say of themselves. */
export function nftRows({ accounts, collections, items, highest }: SkewedWorld): string {
  return `
    insert into app.nft_collections (token, first_height)
    select token, min(block_height) from app.nft_transfers group by token;
    insert into app.nft_collection_totals (token, transfer_count, mint_count, burn_count)
    select token, count(*), 0, 0 from app.nft_transfers group by token;
    insert into app.nft_ownership (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner)
    select '${skewed.collection}', i, i, ${highest}, 0, 60, 0, i % 50 = 49,
      case when i % 50 = 49 then null when ${even('i', 41)} < 0.2 then '${skewed.whale}' else ${accountAt(skewedNumber(accounts, 'i', 42))} end
    from generate_series(1, ${items}) as i;
    insert into app.nft_ownership (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner)
    select ${contractAt('c', 'Items')}, i, c * 1000000 + i, ${highest}, 0, 60, 0, false,
      case when i = 1 then '${skewed.whale}' else ${accountAt('(c * 31 + i)')} end
    from generate_series(0, ${collections - 1}) as c, generate_series(1, 5) as i;
    insert into app.nft_ownership_corrections (token, nft_id, owner, not_in, checked_height)
    select '${skewed.collection}', i, null, '${skewed.whale}', ${highest} from generate_series(100, ${items}, 100) as i;
    insert into app.nft_holdings (address, token, item_count)
    select owner, token, count(*) from app.nft_ownership where owner is not null group by owner, token;
    insert into app.nft_collection_stats (token, item_count, holder_count, seen_count)
    select token, count(*), count(distinct owner), count(*) from app.nft_ownership where owner is not null group by token;
    insert into app.nft_collection_metadata (token, name, evm_address, status)
    select token, 'Collection ' || row_number() over (order by token),
      case when row_number() over (order by token) % 4 = 0 then '0x' || lpad(to_hex(row_number() over (order by token)), 40, '0') end, 'answered'
    from app.nft_collections;
    insert into app.nft_items (token, nft_id, name, description, status)
    select '${skewed.collection}', i, 'Moment ' || (array['Dunk', 'Layup', 'Assist'])[i % 3 + 1], 'word' || i % 500, 'answered'
    from generate_series(1, ${Math.floor(items / 2)}) as i;
    insert into app.hourly_activity (kind, day, hour, name, activity_count, amount)
    select 'collection', s.day, s.hour, ${contractAt('i', 'Items')}, 1 + 100 / (i + 1), 0
    from app.hourly_stats s, generate_series(0, ${collections - 1}, 2) as i`
}
