import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import type { Marked } from '../transactions/events.ts'

const roleNames = ['collection', 'consensus', 'execution', 'verification', 'access'] as const

const bucketFields = {
  tokens_staked: amountFormat.describe('FLOW staked in this epoch.'),
  tokens_committed: amountFormat.describe('FLOW that is staked when the next epoch starts.'),
  tokens_unstaking: amountFormat.describe('FLOW that is free when the next epoch starts.'),
  tokens_unstaked: amountFormat.describe('FLOW that may be withdrawn.'),
  tokens_rewarded: amountFormat.describe('FLOW earned that may be withdrawn.'),
  tokens_requested_to_unstake: amountFormat
    .nullable()
    .describe('FLOW of what is staked that is not to be staked in the next epoch; null where no event tells.'),
}

/** A node of the network. What it has does not include what its delegators have. */
export const nodeSchema = z
  .strictObject({
    node_id: idFormat,
    epoch: z.int().nullable().describe('Newest epoch that it is or will be in; null: none that is indexed.'),
    address: addressFormat
      .nullable()
      .describe('Account that registered it; null while its registration is not indexed.'),
    role: z
      .int()
      .nullable()
      .describe('1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null while nothing told.'),
    role_name: z.enum(roleNames).nullable(),
    networking_address: z.string().nullable().describe('Host and port.'),
    weight: z.int().nullable().describe('0 to 100.'),
    ...bucketFields,
    delegator_count: countFormat.describe('Delegators that it ever had.'),
    first_seen_height: heightFormat.nullable().describe('Block of its registration; null while that is not indexed.'),
    is_complete: z
      .boolean()
      .describe(
        'True: the amounts are exact. False: they are sums of the indexed events alone, which do not go back to ' +
          'its registration.',
      ),
    source: z
      .enum(['events', 'chain'])
      .describe('Whether the amounts follow from events, or the chain told them when it was asked.'),
    updated_at: timestampFormat.nullable().describe('Time of what told them last.'),
  })
  .meta({ id: 'Node' })
export type Node = z.output<typeof nodeSchema>

/** As it is read from the database, amounts as text. */
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

/** @param times of blocks, by height */
export function presentNode(row: NodeRow, times: ReadonlyMap<number, string>): Node {
  const { last_height: height, asked_at: asked, created_height: created, ...fields } = row
  const told = height === null ? null : (times.get(height) ?? null)
  return {
    ...fields,
    role_name: row.role === null ? null : (roleNames[row.role - 1] ?? null),
    first_seen_height: created,
    updated_at: row.source === 'chain' ? asked : told,
  }
}

/** Who delegates to a node. */
export const delegatorSchema = z
  .strictObject({
    node_id: idFormat,
    delegator_id: z.int().min(1).describe('Counts the delegators of the node from 1.'),
    address: addressFormat
      .nullable()
      .describe('Account that registered it; null while its registration is not indexed.'),
    ...bucketFields,
    created_height: heightFormat.nullable().describe('Block of its registration; null while that is not indexed.'),
    is_complete: z.boolean().describe('As of nodes.'),
    updated_at: timestampFormat.nullable().describe('Time of the last event about it.'),
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

/** @param times of blocks, by height */
export function presentDelegator(row: DelegatorRow, times: ReadonlyMap<number, string>): Delegator {
  const { last_height: height, ...fields } = row
  return { ...fields, updated_at: times.get(height) ?? null }
}

const bucketFormat = z.enum(['committed', 'staked', 'unstaking', 'unstaked', 'rewarded', 'unknown']).nullable()

/** What happened to the stake of a node or a delegator. */
export const stakingEventSchema = z
  .strictObject({
    block_height: heightFormat,
    transaction_id: idFormat,
    transaction_index: countFormat,
    event_index: countFormat,
    event_type: z
      .string()
      .describe('Name of the event of FlowIDTableStaking: RewardsPaid, DelegatorTokensCommitted, …'),
    node_id: idFormat.nullable().describe('Null for rules, which hold for all.'),
    delegator_id: z.int().nullable().describe('0 for the node itself; null for rules.'),
    amount: amountFormat.nullable().describe('FLOW; of rules their new value.'),
    from_bucket: bucketFormat.describe(
      'Where the tokens were. unknown: unstaked or rewarded. Null: outside of the contract, or nothing moved.',
    ),
    to_bucket: bucketFormat.describe('Where the tokens are since, like from_bucket.'),
    epoch: z.int().nullable().describe('Epoch that is rewarded.'),
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
