import type { ExamplePair } from './example-pair.ts'

/** Swaps and pools. Amounts are in whole tokens; volumes of a pair count what went in and out of it. */
export const defiPairs: readonly ExamplePair[] = [
  {
    questions: ['Which swap pairs are there and what is their last price?', '有哪些交易对？最新价格是多少？'],
    sql: `select pair, dex, asset0, asset1, price, last_height
from app.defi_pairs
order by last_height desc, pair
limit 20`,
  },
  {
    questions: ['Swap volume of each pair by day', '每个交易对每天的成交量'],
    sql: `select d.day, d.pair, p.asset0, d.volume0, p.asset1, d.volume1, d.swap_count
from app.defi_pair_days d
join app.defi_pairs p using (pair)
order by d.day desc, d.swap_count desc, d.pair
limit 50`,
  },
  {
    questions: ['How many swaps were there per day?', '每天有多少笔兑换？'],
    sql: `select day, swap_count
from app.daily_analytics
order by day desc
limit 30`,
  },
  {
    questions: ['Who swapped most often in the last 10,000 blocks?'],
    sql: `select maker, count(*) as swaps, count(distinct pair) as pairs
from app.defi_events
where event_type = 'Swap' and maker is not null and block_height > (select max(height) from raw.blocks) - 10000
group by maker
order by swaps desc, maker
limit 20`,
  },
  {
    questions: ['Opening, highest, lowest and closing price of each pair by day'],
    sql: `select pair, day, (array_agg(price order by block_height, tx_index, event_index))[1] as open, max(price) as high, min(price) as low,
  (array_agg(price order by block_height desc, tx_index desc, event_index desc))[1] as close
from app.defi_events
where event_type = 'Swap' and price is not null and block_height > (select max(height) from raw.blocks) - 100000
group by pair, day
order by pair, day desc
limit 100`,
  },
  {
    questions: ['每天有多少不同的交易者？', 'How many different traders were there each day?'],
    sql: `select day, actor_count as traders
from app.daily_actor_counts
where kind = 'trader'
order by day desc
limit 30`,
  },
]
