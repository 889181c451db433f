import type { StakingEventItem, Delegator, Node } from './schema.ts'

/** Examples of routes about staking, which belong together. */

export const exampleNode: Node = {
  node_id: '2a1f8c6d90b3e5472c1d8e0f6a7b4c93d5e2f1087ab96d3c2e5f18a7904b6d3e',
  epoch: 254,
  address: '0x18eb4ee6b3c026d2',
  role: 2,
  role_name: 'consensus',
  networking_address: 'node.example.org:3569',
  weight: 100,
  tokens_staked: '500000.00000000',
  tokens_committed: '0.00000000',
  tokens_unstaking: '0.00000000',
  tokens_unstaked: '0.00000000',
  tokens_rewarded: '84248.27778703',
  tokens_requested_to_unstake: '0.00000000',
  delegator_count: 12,
  first_seen_height: 24_120_331,
  is_complete: true,
  source: 'events',
  updated_at: '2025-06-28T22:40:12.010Z',
}

export const exampleDelegator: Delegator = {
  node_id: exampleNode.node_id,
  delegator_id: 7,
  address: '0xe467b9dd11fa00df',
  tokens_staked: '1000.01000000',
  tokens_committed: '0.00000000',
  tokens_unstaking: '0.00000000',
  tokens_unstaked: '0.00000000',
  tokens_rewarded: '154.97647705',
  tokens_requested_to_unstake: '0.00000000',
  created_height: 61_204_118,
  is_complete: true,
  updated_at: '2025-06-28T22:40:12.010Z',
}

export const exampleStakingEvent: StakingEventItem = {
  block_height: 118_331_207,
  transaction_id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
  transaction_index: 3,
  event_index: 41,
  event_type: 'DelegatorRewardsPaid',
  node_id: exampleNode.node_id,
  delegator_id: 7,
  amount: '1.93720596',
  from_bucket: null,
  to_bucket: 'rewarded',
  epoch: 253,
  timestamp: '2025-06-28T22:40:12.010Z',
}
