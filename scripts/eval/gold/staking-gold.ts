import type { GoldQuestion } from './gold-question.ts'

const target = 'indexer'

/** About staking, and about the EVM as the indexer sees it. */
export const stakingGold: readonly GoldQuestion[] = [
  {
    id: 'latest-epoch',
    target,
    question: 'Which epoch is the newest, and at which height did it start?',
    accepted: ['select epoch, start_height from app.epoch_stats order by epoch desc limit 1'],
  },
  {
    id: 'rewards-of-epochs',
    target,
    question: 'How much was paid as rewards for each epoch? Only epochs that were paid, oldest first.',
    accepted: ['select epoch, payout_total from app.epoch_stats where payout_total is not null order by epoch'],
    order: [0],
  },
  {
    id: 'stake-by-node',
    target,
    question: 'How much FLOW is staked with each node, its own and that of its delegators together?',
    accepted: [
      `select n.node_id, n.tokens_staked + coalesce(sum(d.tokens_staked), 0) from app.staking_nodes n
left join app.staking_delegators d on d.node_id = n.node_id group by n.node_id`,
      `select node_id, sum(tokens_staked) from (
  select node_id, tokens_staked from app.staking_nodes union all select node_id, tokens_staked
  from app.staking_delegators) s group by node_id`,
    ],
  },
  {
    id: 'delegated-total',
    target,
    question: '委托人一共质押了多少 FLOW？',
    accepted: ['select sum(tokens_staked) from app.staking_delegators'],
  },
  {
    id: 'delegators-commitments',
    target,
    question: 'How often did delegators commit stake, and how much FLOW in all?',
    accepted: [`select count(*), sum(amount) from app.staking_events where event_type = 'DelegatorTokensCommitted'`],
  },
  {
    id: 'committed-amount',
    target,
    question: 'How much FLOW did nodes and delegators commit in all?',
    accepted: [
      `select sum(amount) from app.staking_events where event_type in ('TokensCommitted', 'DelegatorTokensCommitted')`,
    ],
  },
  {
    id: 'stake-growth',
    target,
    question: 'By how much did the total stake change from each epoch to the next? Oldest first, without the first.',
    accepted: [
      `select epoch, change from (
  select epoch, total_staked - lag(total_staked) over (order by epoch) as change from app.epoch_stats) e
  where change is not null order by epoch`,
    ],
    order: [0],
  },
  {
    id: 'evm-failures',
    target,
    question: 'How many EVM transactions failed?',
    accepted: [
      'select count(*) from app.evm_tx_hashes where evm_status = 0',
      'select sum(evm_failed_count) from app.daily_analytics',
    ],
  },
  {
    id: 'evm-gas',
    target,
    question: 'How much gas did EVM transactions use in all?',
    accepted: ['select sum(evm_gas_used) from app.evm_tx_hashes', 'select sum(evm_gas_used) from app.daily_analytics'],
  },
  {
    id: 'evm-value',
    target,
    question: 'How much FLOW was sent by EVM transactions that succeeded? In FLOW, not attoflow.',
    accepted: ['select sum(evm_value) / 1e18 from app.evm_tx_hashes where evm_status = 1'],
    tolerance: 1e-9,
  },
  {
    id: 'evm-by-standard',
    target,
    question: 'How many EVM token transfers are there for each ERC standard?',
    accepted: [
      'select standard, count(*) from app.evm_token_transfers group by standard',
      'select standard, sum(transfer_count) from app.evm_tokens group by standard',
    ],
  },
  {
    id: 'evm-deployments',
    target,
    question: 'How many contracts were deployed in the EVM by accounts that Cadence owns?',
    accepted: [`select count(*) from app.evm_transactions where call_type = 'deploy'`],
  },
  {
    id: 'coa-total',
    target,
    question: '有多少个 Flow 账户拥有的 EVM 账户（COA）？',
    accepted: ['select count(*) from app.coa_accounts', 'select sum(new_coa_count) from app.daily_stats'],
  },
]
