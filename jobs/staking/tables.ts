import type { HeightTable } from '../worker.ts'

const heightColumn = 'block_height'
const position = [heightColumn, 'tx_index', 'event_index']

/** One row for each event about a node, a delegator or a rule. */
export const stakingEvents: HeightTable = {
  name: 'app.staking_events',
  columns: [
    ...position,
    'event_type',
    'node_id',
    'delegator_id',
    'amount',
    'from_bucket',
    'to_bucket',
    'moved',
    'epoch',
    'role',
    'networking_address',
    'weight',
    'account',
  ],
  heightColumn,
  partitionHeights: undefined,
}

/** One row for each event about an epoch. */
export const epochEvents: HeightTable = {
  name: 'app.epoch_events',
  columns: [
    ...position,
    'event_type',
    'epoch',
    'block_time',
    'first_view',
    'staking_end_view',
    'final_view',
    'target_duration',
    'target_end_time',
    'total_staked',
    'total_supply',
    'total_rewards',
    'from_fees',
    'minted',
    'fees_burned',
    'node_count',
  ],
  heightColumn,
  partitionHeights: undefined,
}

/** One row for each node that an EpochSetup or EpochRecover names. */
export const epochNodes: HeightTable = {
  name: 'app.epoch_nodes',
  columns: [
    ...position,
    'node_id',
    'epoch',
    'role',
    'networking_address',
    'weight',
    'tokens_committed',
    'tokens_staked',
    'tokens_unstaking',
    'tokens_unstaked',
    'tokens_rewarded',
    'tokens_requested_to_unstake',
    'delegator_count',
  ],
  heightColumn,
  partitionHeights: undefined,
}
