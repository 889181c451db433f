import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import type { Marked } from '../transactions/events.ts'

export const roleNames = ['collection', 'consensus', 'execution', 'verification', 'access'] as const

const bucketFields = {
  tokens_staked: amountFormat.describe('FLOW staked in this epoch.'),
  tokens_committed: amountFormat.describe('FLOW to be staked from the next epoch.'),
  tokens_unstaking: amountFormat.describe('FLOW being unstaked, released with the next epoch.'),
  tokens_unstaked: amountFormat.describe('Unstaked FLOW that can be withdrawn.'),
  tokens_rewarded: amountFormat.describe('Rewards that can be withdrawn.'),
  tokens_requested_to_unstake: amountFormat
    .nullable()
    .describe('Staked FLOW requested to be unstaked in the next epoch; null if not indexed.'),
}

/** Amounts exclude delegators. */
export const nodeSchema = z
  .strictObject({
    node_id: idFormat,
    epoch: z.int().nullable().describe('Newest epoch of the node; null if not indexed.'),
    address: addressFormat.nullable().describe('Account that registered it; null if not indexed.'),
    role: z
      .int()
      .nullable()
      .describe('1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null if unknown.'),
    role_name: z.enum(roleNames).nullable(),
    networking_address: z.string().nullable().describe('Host and port.'),
    weight: z.int().nullable().describe('0 to 100.'),
    ...bucketFields,
    delegator_count: countFormat.describe('Registered delegators.'),
    first_seen_height: heightFormat.nullable().describe('Block of its registration; null if not indexed.'),
    is_complete: z
      .boolean()
      .describe(
        'True: amounts are exact. False: amounts are sums of indexed events, which do not go back to the registration.',
      ),
    source: z.enum(['events', 'chain']).describe('Source of the amounts: indexed events, or a query of the chain.'),
    updated_at: timestampFormat.nullable().describe('Time of the last event or query.'),
  })
  .meta({ id: 'Node' })
export type Node = z.output<typeof nodeSchema>

export const nodeRow = z.object({
  node_id: z.string(),
  epoch: z.number().nullable(),
  address: z.string().nullable(),
  role: z.number().nullable(),
  networking_address: z.string().nullable(),
  weight: z.number().nullable(),
  tokens_staked: z.string(),
  tokens_committed: z.string(),
  tokens_unstaking: z.string(),
  tokens_unstaked: z.string(),
  tokens_rewarded: z.string(),
  tokens_requested_to_unstake: z.string().nullable(),
  delegator_count: z.number(),
  created_height: z.number().nullable(),
  is_complete: z.boolean(),
  source: z.enum(['events', 'chain']),
  last_height: z.number().nullable(),
  asked_at: z.string().nullable(),
})
export type NodeRow = z.output<typeof nodeRow>

export function presentNode(row: NodeRow, times: ReadonlyMap<number, string>): Node {
  const { last_height: height, asked_at: queriedAt, created_height: created, ...fields } = row
  const eventTime = height === null ? null : (times.get(height) ?? null)
  return {
    ...fields,
    role_name: row.role === null ? null : (roleNames[row.role - 1] ?? null),
    first_seen_height: created,
    updated_at: row.source === 'chain' ? queriedAt : eventTime,
  }
}

export const delegatorSchema = z
  .strictObject({
    node_id: idFormat,
    delegator_id: z.int().min(1).describe('Delegator id within the node, from 1.'),
    address: addressFormat.nullable().describe('Account that registered it; null if not indexed.'),
    ...bucketFields,
    created_height: heightFormat.nullable().describe('Block of its registration; null if not indexed.'),
    is_complete: z.boolean().describe('See StakingNode.'),
    updated_at: timestampFormat.nullable().describe('Time of its last event.'),
  })
  .meta({ id: 'Delegator' })
export type Delegator = z.output<typeof delegatorSchema>

export const delegatorRow = z.object({
  node_id: z.string(),
  delegator_id: z.number(),
  address: z.string().nullable(),
  tokens_staked: z.string(),
  tokens_committed: z.string(),
  tokens_unstaking: z.string(),
  tokens_unstaked: z.string(),
  tokens_rewarded: z.string(),
  tokens_requested_to_unstake: z.string().nullable(),
  created_height: z.number().nullable(),
  is_complete: z.boolean(),
  last_height: z.number(),
})
export type DelegatorRow = z.output<typeof delegatorRow>

export function presentDelegator(row: DelegatorRow, times: ReadonlyMap<number, string>): Delegator {
  const { last_height: height, ...fields } = row
  return { ...fields, updated_at: times.get(height) ?? null }
}

const bucketFormat = z.enum(['committed', 'staked', 'unstaking', 'unstaked', 'rewarded', 'unknown']).nullable()

export const stakingEventSchema = z
  .strictObject({
    block_height: heightFormat,
    transaction_id: idFormat,
    transaction_index: countFormat,
    event_index: countFormat,
    event_type: z.string().describe('Event name of FlowIDTableStaking: RewardsPaid, DelegatorTokensCommitted, …'),
    node_id: idFormat.nullable().describe('Null for network-wide settings.'),
    delegator_id: z.int().nullable().describe('0 for the node itself; null for network-wide settings.'),
    amount: amountFormat.nullable().describe('FLOW; new value of network-wide settings.'),
    from_bucket: bucketFormat.describe(
      'Source bucket. unknown: unstaked or rewarded. Null: outside of the contract, or no tokens moved.',
    ),
    to_bucket: bucketFormat.describe('Destination bucket, like from_bucket.'),
    epoch: z.int().nullable().describe('Rewarded epoch.'),
    timestamp: timestampFormat,
  })
  .meta({ id: 'StakingEvent' })
export type StakingEventItem = z.output<typeof stakingEventSchema>

export const stakingEventRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  event_type: z.string(),
  node_id: z.string().nullable(),
  delegator_id: z.number().nullable(),
  amount: z.string().nullable(),
  from_bucket: bucketFormat,
  to_bucket: bucketFormat,
  epoch: z.number().nullable(),
})
export type StakingEventRow = z.output<typeof stakingEventRow>

export function presentStakingEvent({ row, mark }: Marked<StakingEventRow>): StakingEventItem {
  const { tx_index: index, ...fields } = row
  return { ...fields, transaction_id: mark.id, transaction_index: index, timestamp: mark.timestamp }
}

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
