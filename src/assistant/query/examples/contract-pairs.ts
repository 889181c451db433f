import type { ExamplePair } from './example-pairs.ts'

export const contractPairs: readonly ExamplePair[] = [
  {
    questions: ['Which contracts were deployed most recently?', '最近部署了哪些合约？'],
    sql: `select contract, kind, created_height, is_removed
from app.contracts
where created_height is not null
order by created_height desc, created_tx_index desc, contract
limit 20`,
  },
  {
    questions: ["Which contracts do users' transactions import most often?", '最常被调用的合约有哪些？'],
    sql: `select name as contract, sum(activity_count) as transactions
from app.hourly_activity
where kind = 'contract' and day > (select max(day) from app.hourly_activity) - 7
group by name
order by transactions desc, contract
limit 20`,
  },
  {
    questions: ['How often was each contract changed?'],
    sql: `select address, name, count(*) filter (where change = 'added') as added,
  count(*) filter (where change = 'updated') as updated, count(*) filter (where change = 'removed') as removed
from app.contract_versions
group by address, name
having count(*) > 1
order by count(*) desc, address, name
limit 20`,
  },
  {
    questions: ['Contracts deployed and updated by day', '每天部署和更新了多少合约？'],
    sql: `select day, new_contract_count, contract_update_count
from app.daily_stats
order by day desc
limit 30`,
  },
  {
    questions: ['Which event types occur most often?', '哪种事件最多？'],
    sql: `select type, event_count
from app.event_types
order by event_count desc, type
limit 20`,
  },
  {
    questions: ['Show the latest FLOW deposits as events'],
    sql: `select e.block_height, e.tx_index, e.event_index, e.payload->>'to' as to_address,
  (e.payload->>'amount')::numeric as amount
from raw.events e
where e.type = 'A.{flowToken}.FlowToken.TokensDeposited' and e.block_height > (select max(height) from raw.blocks) - 100
order by e.block_height desc, e.tx_index desc, e.event_index desc
limit 20`,
  },
  {
    questions: ['Which events did the contract NFTStorefrontV2 emit in the last 1000 blocks, with their transactions?'],
    sql: `select timestamp, block_height, '0x' || encode(transaction_id, 'hex') as transaction_id, type, payload
from raw.events_with_id
where type like 'A.{nftStorefront}.NFTStorefrontV2.%' and block_height > (select max(height) from raw.blocks) - 1000
order by block_height desc, tx_index desc, event_index desc
limit 20`,
  },
  {
    questions: ['Accounts with the most contracts that are still there'],
    sql: `select address, count(*) as contracts, array_agg(name order by name) as names
from app.smart_contracts
where not is_removed
group by address
order by contracts desc, address
limit 20`,
  },
  {
    questions: ['How many scheduled transactions are there by status and priority?', '定时交易的状态分布'],
    sql: `select status, case priority when 0 then 'high' when 1 then 'medium' when 2 then 'low' end as priority,
  count(*) as scheduled
from app.scheduled_transactions
group by status, app.scheduled_transactions.priority
order by scheduled desc, status, priority`,
  },
  {
    questions: ['Which handlers have scheduled transactions that failed?'],
    sql: `select handler_owner, handler_type, count(*) as failed, max(ended_height) as last_height
from app.scheduled_transactions
where status = 'failed'
group by handler_owner, handler_type
order by failed desc, handler_owner, handler_type
limit 20`,
  },
  {
    questions: ['哪些定时交易还没有执行？', 'Which scheduled transactions are still to run, and when?'],
    sql: `select scheduled_id, due_at, handler_owner, fees
from app.scheduled_transactions
where status in ('scheduled', 'pending')
order by due_at, scheduled_id
limit 20`,
  },
]
