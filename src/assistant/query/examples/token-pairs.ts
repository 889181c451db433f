import type { ExamplePair } from './example-pairs.ts'

export const tokenPairs: readonly ExamplePair[] = [
  {
    questions: ['What are the largest FLOW transfers?', '最大的 FLOW 转账有哪些？'],
    sql: `select g.block_height, g.amount, t.from_address, t.to_address, g.day
from app.big_transfers g
join app.ft_transfers t using (block_height, tx_index, event_index, leg)
where g.token = 'A.{flowToken}.FlowToken'
order by g.amount desc, g.block_height
limit 20`,
  },
  {
    questions: ['Who holds the most FLOW?', '持有 FLOW 最多的账户是谁？'],
    sql: `select address, balance
from app.ft_holdings
where token = 'A.{flowToken}.FlowToken' and balance > 0
order by balance desc, address
limit 20`,
  },
  {
    questions: ['Which fungible tokens have the most holders?', '哪些代币的持有者最多？'],
    sql: `select h.token, m.symbol, h.holder_count, t.transfer_count
from app.ft_token_holders h
left join app.ft_token_metadata m using (token)
left join app.ft_token_totals t using (token)
order by h.holder_count desc, h.token
limit 20`,
  },
  {
    questions: ['How much FLOW does the account 0x{service} have?', '账户 0x{service} 有多少 FLOW？'],
    sql: `select address, token, balance, is_complete
from app.ft_holdings
where address = '0x{service}' and token = 'A.{flowToken}.FlowToken'`,
  },
  {
    questions: ['Volume of FLOW transfers by day, without fees'],
    sql: `select b.day, sum(a.amount) as flow_moved, sum(a.transfers) as transfers
from app.block_analytics b
cross join lateral unnest(b.tokens, b.token_amounts, b.token_transfer_counts) as a(token, amount, transfers)
where a.token = 'A.{flowToken}.FlowToken'
group by b.day
order by b.day desc
limit 30`,
  },
  {
    questions: ['Which tokens moved most often in all?', '转账次数最多的代币'],
    sql: `select token, transfer_count, minted, burned
from app.ft_token_totals
order by transfer_count desc, token
limit 20`,
  },
  {
    questions: ['Latest mints and burns of tokens'],
    sql: `select block_height, token, transfer_type, amount, coalesce(to_address, from_address) as account
from app.ft_transfers
where transfer_type in ('mint', 'burn') and block_height > (select max(height) from raw.blocks) - 10000
order by block_height desc, tx_index desc, event_index desc
limit 20`,
  },
  {
    questions: ['How many FLOW did 0x{service} send and get in the last 10,000 blocks?'],
    sql: `select coalesce(sum(amount) filter (where from_address = '0x{service}'), 0) as sent,
  coalesce(sum(amount) filter (where to_address = '0x{service}'), 0) as got
from app.ft_transfers
where token = 'A.{flowToken}.FlowToken' and transfer_type <> 'fee'
  and (from_address = '0x{service}' or to_address = '0x{service}')
  and block_height > (select max(height) from raw.blocks) - 10000`,
  },
  {
    questions: ['FLOW 的持币集中度：前十名占比多少？', 'What share of FLOW do the ten largest holders have?'],
    sql: `with largest as (
  select balance
  from app.ft_holdings
  where token = 'A.{flowToken}.FlowToken' and balance > 0
  order by balance desc
  limit 10
)
select round(100 * (select sum(balance) from largest) / sum(balance), 4) as percent_of_top_10, count(*) as holders
from app.ft_holdings
where token = 'A.{flowToken}.FlowToken' and balance > 0`,
  },
  {
    questions: ['How are FLOW transfers distributed by size in the last 10,000 blocks?'],
    sql: `select case when amount < 1 then 'below 1' when amount < 10 then '1 to 10' when amount < 100 then '10 to 100'
  else '100 and more' end as size,
  count(*) as transfers, sum(amount) as flow
from app.ft_transfers
where token = 'A.{flowToken}.FlowToken' and transfer_type = 'transfer'
  and block_height > (select max(height) from raw.blocks) - 10000
group by size
order by min(amount)`,
  },
  {
    questions: [
      '哪些账户转出的代币种类最多？',
      'Which accounts sent the most kinds of tokens in the last 10,000 blocks?',
    ],
    sql: `select from_address, count(distinct token) as tokens, count(*) as transfers
from app.ft_transfers
where transfer_type = 'transfer' and from_address is not null
  and block_height > (select max(height) from raw.blocks) - 10000
group by from_address
order by tokens desc, transfers desc, from_address
limit 10`,
  },
]
