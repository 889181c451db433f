import { readStaking, stakingTypes } from '../src/flow/staking/read-staking.ts'
import { stakingSums } from './staking/balances.ts'
import { epochStats } from './staking/epoch-stats.ts'
import { stakingDelegators } from './staking/staking-delegators.ts'
import { stakingNodes } from './staking/staking-nodes.ts'
import { epochEvents, epochNodes, stakingEvents } from './staking/tables.ts'
import { writeEpochEvent, writeEpochNodes, writeStakingEvent } from './staking/write-staking.ts'
import type { Worker } from './worker.ts'

/**
 * Nodes, delegators and epochs, by the events of FlowIDTableStaking and FlowEpoch where the chain itself has them. How
 * events become moves between what nodes and delegators have is in `src/flow/staking/`; the folds add them up. System
 * transactions count: the chain ends epochs and pays rewards by itself.
 */
export const stakingWorker: Worker = {
  name: 'staking_worker',
  description: 'Staking nodes, delegators, rewards and epochs',
  phase: 1,
  follows: [],
  tables: [stakingEvents, epochEvents, epochNodes],
  folds: [stakingSums, stakingDelegators, stakingNodes, epochStats],
  derive({ blocks }, output, { network }) {
    const types = stakingTypes(network)
    for (const { height, timestampUs, transactions } of blocks) {
      for (const transaction of transactions) {
        const staking = readStaking(transaction, types, network)
        if (staking === undefined) continue
        const txIndex = transaction.index
        const place = { height, txIndex, timestampUs, account: transaction.authorizers[0] }
        for (const { event, move } of staking.events) {
          writeStakingEvent(output.rows(stakingEvents.name), place, event, move)
        }
        for (const event of staking.epochs) {
          writeEpochEvent(output.rows(epochEvents.name), place, event)
          if (event.nodes !== undefined) writeEpochNodes(output.rows(epochNodes.name), place, event)
        }
        for (const problem of staking.problems) output.problem({ blockHeight: height, txIndex, ...problem })
      }
    }
  },
}
