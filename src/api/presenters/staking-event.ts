import { z } from 'zod'
import { amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'
import type { Marked } from '../queries/transaction-marks.ts'

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
