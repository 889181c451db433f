import type { ExamplePair } from './example-pairs.ts'

export const accountPairs: readonly ExamplePair[] = [
  {
    questions: ['Which accounts took part in the most transactions?', '交易最多的账户是哪些？'],
    sql: `select s.address, min(l.label) as label, s.tx_count, s.gas_used
from app.address_stats s
left join app.account_labels l on l.address = s.address
group by s.address, s.tx_count, s.gas_used
order by s.tx_count desc, s.address
limit 20`,
  },
  {
    questions: ['How many accounts were created each day?', '每天新建了多少账户？'],
    sql: `select day, new_account_count
from app.daily_stats
order by day desc
limit 30`,
  },
  {
    questions: ['Show the newest accounts'],
    sql: `select a.address, a.created_height, b.timestamp as created_at
from app.accounts a
join raw.blocks b on b.height = a.created_height
where a.created_height is not null
order by a.first_seen_height desc, a.address
limit 20`,
  },
  {
    questions: ['Latest transactions of the account 0x{service}', '账户 0x{service} 最近的交易'],
    sql: `select a.block_height, '0x' || encode(t.id, 'hex') as transaction_id,
  a.is_payer, a.is_proposer, a.is_authorizer, t.status_code
from app.address_transactions a
join raw.transactions t using (block_height, tx_index)
where a.address = '0x{service}'
order by a.block_height desc, a.tx_index desc
limit 20`,
  },
  {
    questions: ['每日活跃账户数', 'How many accounts were active each day?'],
    sql: `select day, active_account_count
from app.daily_account_counts
order by day desc
limit 30`,
  },
  {
    questions: ['Which accounts added the most keys in the last 100,000 blocks?'],
    sql: `select address, count(*) as keys_added
from app.account_key_changes
where not is_removed and block_height > (select max(height) from raw.blocks) - 100000
group by address
order by keys_added desc, address
limit 20`,
  },
  {
    questions: ['Which signing algorithms do new keys use?', '新增密钥使用哪些签名算法？'],
    sql: `select case signing_algorithm when 1 then 'BLS_BLS12_381' when 2 then 'ECDSA_P256'
    when 3 then 'ECDSA_secp256k1' end
  as algorithm, count(*) as keys
from app.account_key_changes
where not is_removed and block_height > (select max(height) from raw.blocks) - 100000
group by signing_algorithm
order by keys desc`,
  },
  {
    questions: ['Which keys were revoked most recently?'],
    sql: `select address, key_index, '0x' || encode(public_key, 'hex') as public_key, revoked_height
from app.account_keys
where is_revoked and revoked_height is not null
order by revoked_height desc, address, key_index
limit 20`,
  },
  {
    questions: ['What is the account 0x{flowFees} known as?'],
    sql: `select address, label, category
from app.account_labels
where address = '0x{flowFees}'`,
  },
  {
    questions: ['Who paid for the most transactions in the last 10,000 blocks?', '最近谁支付的交易最多？'],
    sql: `select address, count(*) as transactions, sum(gas_used) as computation
from app.address_transactions
where is_payer and block_height > (select max(height) from raw.blocks) - 10000
group by address
order by transactions desc, address
limit 10`,
  },
  {
    questions: [
      '最近一万个区块有多少账户活跃？其中多少是新的？',
      'How many accounts were seen in the last 10,000 blocks, and how many of them for the first time?',
    ],
    sql: `with newest as (
  select max(height) as height from raw.blocks
)
select count(*) as seen, count(*) filter (where first_seen_height > newest.height - 10000) as for_the_first_time
from app.accounts, newest
where last_seen_height > newest.height - 10000`,
  },
]
