import type { ExamplePair } from './example-pair.ts'

/** Staking, delegation and epochs. Amounts are in FLOW. */
export const stakingPairs: readonly ExamplePair[] = [
  {
    questions: ['Which nodes have the most FLOW staked?', '质押最多的节点有哪些？'],
    sql: `select node_id, case role when 1 then 'collection' when 2 then 'consensus' when 3 then 'execution' when 4 then 'verification' when 5 then 'access' end as role,
  tokens_staked, delegator_count
from app.staking_nodes
order by tokens_staked desc, node_id
limit 20`,
  },
  {
    questions: ['How much is staked, and what was paid, in each epoch?', '每个纪元质押了多少 FLOW？'],
    sql: `select epoch, start_time, total_staked, total_rewards, payout_total
from app.epoch_stats
order by epoch desc
limit 20`,
  },
  {
    questions: ['Which staking rewards were paid last?'],
    sql: `select block_height, node_id, delegator_id, amount, epoch
from app.staking_events
where event_type in ('RewardsPaid', 'DelegatorRewardsPaid')
order by block_height desc, tx_index desc, event_index desc
limit 20`,
  },
  {
    questions: ['Who are the largest delegators?', '最大的委托人是谁？'],
    sql: `select node_id, delegator_id, address, tokens_staked + tokens_committed as stake
from app.staking_delegators
order by stake desc, node_id, delegator_id
limit 20`,
  },
  {
    questions: ['How long did each epoch last?'],
    sql: `select epoch, start_time, end_time, round(extract(epoch from end_time - start_time) / 3600, 2) as hours, end_height - start_height + 1 as blocks
from app.epoch_stats
where start_height is not null and end_height is not null
order by epoch desc
limit 20`,
  },
  {
    questions: ['质押事件按类型统计', 'How many staking events are there of each type?'],
    sql: `select event_type, count(*) as events, sum(amount) as flow
from app.staking_events
group by event_type
order by events desc, event_type`,
  },
]
