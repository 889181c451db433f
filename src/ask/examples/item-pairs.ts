import type { ExamplePair } from './example-pair.ts'

/** Non-fungible tokens: collections, items, owners and sales. */
export const itemPairs: readonly ExamplePair[] = [
  {
    questions: ['Which NFT collections have the most transfers?', '转移最多的 NFT 系列有哪些？'],
    sql: `select t.token as collection, m.name, t.transfer_count, t.mint_count, t.burn_count
from app.nft_collection_totals t
left join app.nft_collection_metadata m using (token)
order by t.transfer_count desc, t.token
limit 20`,
  },
  {
    questions: ['How many items and holders does each collection have?', '每个 NFT 系列有多少持有者？'],
    sql: `select token as collection, item_count, holder_count
from app.nft_collection_stats
order by holder_count desc, token
limit 20`,
  },
  {
    questions: ['Who owns the most NFTs?'],
    sql: `select address, sum(item_count) as items, count(*) as collections
from app.nft_holdings
group by address
order by items desc, address
limit 20`,
  },
  {
    questions: ['How many NFTs were minted in each of the last days?', '每天铸造了多少 NFT？'],
    sql: `select s.day, n.token as collection, count(*) as mints
from app.nft_transfers n
join app.block_stats s using (block_height)
where n.transfer_type = 'mint' and n.block_height > (select max(height) from raw.blocks) - 100000
group by s.day, n.token
order by s.day desc, mints desc, collection
limit 50`,
  },
  {
    questions: ['Latest NFT transfers with the transaction'],
    sql: `select n.block_height, n.token as collection, n.nft_id, n.from_address, n.to_address, '0x' || encode(t.id, 'hex') as transaction_id
from app.nft_transfers n
join raw.transactions t using (block_height, tx_index)
where n.transfer_type = 'transfer' and n.block_height > (select max(height) from raw.blocks) - 1000
order by n.block_height desc, n.tx_index desc, n.event_index desc
limit 20`,
  },
  {
    questions: [
      'What were the most expensive marketplace sales in the last 10,000 blocks?',
      '最近最贵的 NFT 成交是多少？',
    ],
    sql: `select e.block_height, e.payload->>'nftType' as item_type, e.payload->>'nftID' as nft_id,
  (e.payload->>'salePrice')::numeric as price, e.payload->>'salePaymentVaultType' as paid_in
from raw.events e
where e.type = 'A.{nftStorefront}.NFTStorefrontV2.ListingCompleted' and e.payload->>'purchased' = 'true'
  and e.block_height > (select max(height) from raw.blocks) - 10000
order by price desc, e.block_height
limit 20`,
  },
  {
    questions: ['Which items changed hands most often?', '哪些 NFT 转手次数最多？'],
    sql: `select token as collection, nft_id, count(*) as transfers, count(distinct to_address) as owners
from app.nft_transfers
where transfer_type = 'transfer' and block_height > (select max(height) from raw.blocks) - 100000
group by token, nft_id
order by transfers desc, collection, nft_id
limit 20`,
  },
  {
    questions: ['有多少账户同时持有多个系列的 NFT？', 'How many accounts own items of more than one collection?'],
    sql: `select count(*) as accounts
from (
  select address
  from app.nft_holdings
  where item_count > 0
  group by address
  having count(distinct token) > 1
) holders`,
  },
]
