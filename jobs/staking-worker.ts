import {
  int2OrNull,
  int4OrNull,
  int8OrNull,
  numericOrNull,
  textOrNull,
  timestamptzUsOrNull,
} from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import type { BucketMove } from '../src/flow/staking/read-staking.ts'
import type { EpochEvent } from '../src/flow/staking/epoch-event.ts'
import type { StakingEvent } from '../src/flow/staking/staking-event.ts'
import {
  epochEvents,
  epochNodes,
  stakingEvents,
  stakingSums,
  epochStats,
  stakingDelegators,
  stakingNodes,
} from './staking-folds.ts'
import { readStaking, stakingTypes } from '../src/flow/staking/read-staking.ts'
import type { Worker } from './worker.ts'

interface Place {
  readonly height: number
  readonly txIndex: number
  /** Block time, microseconds since 1970. */
  readonly timestampUs: number
  readonly account: string | undefined
}

function writeStakingEvent(rows: RowWriter, place: Place, event: StakingEvent, move: BucketMove | undefined): void {
  const { name, nodeId, delegatorId, amount, epoch, role, networkingAddress, weight } = event
  begin(rows, stakingEvents.columns.length, place, event.index)
  rows.text(name)
  textOrNull(rows, nodeId)
  int4OrNull(rows, nodeId === undefined ? undefined : delegatorId)
  numericOrNull(rows, amount)
  textOrNull(rows, move?.from)
  textOrNull(rows, move?.to)
  numericOrNull(rows, move?.amount === amount ? undefined : move?.amount)
  int8OrNull(rows, epoch)
  int2OrNull(rows, role)
  textOrNull(rows, networkingAddress)
  int2OrNull(rows, weight)
  textOrNull(rows, name === 'NewNodeCreated' || name === 'NewDelegatorCreated' ? place.account : undefined)
}

function writeEpochEvent(rows: RowWriter, place: Place, event: EpochEvent): void {
  begin(rows, epochEvents.columns.length, place, event.index)
  rows.text(event.name)
  int8OrNull(rows, event.epoch)
  rows.timestamptzUs(place.timestampUs)
  int8OrNull(rows, event.firstView)
  int8OrNull(rows, event.stakingEndView)
  int8OrNull(rows, event.finalView)
  int8OrNull(rows, event.targetDuration)
  timestamptzUsOrNull(rows, event.targetEndTime === undefined ? undefined : event.targetEndTime * 1_000_000)
  numericOrNull(rows, event.totalStaked)
  numericOrNull(rows, event.totalSupply)
  numericOrNull(rows, event.totalRewards)
  numericOrNull(rows, event.fromFees)
  numericOrNull(rows, event.minted)
  numericOrNull(rows, event.feesBurned)
  int4OrNull(rows, event.nodes?.length)
}

function writeEpochNodes(rows: RowWriter, place: Place, { index, epoch = 0, nodes = [] }: EpochEvent): void {
  for (const node of nodes) {
    begin(rows, epochNodes.columns.length, place, index)
    rows.text(node.nodeId)
    rows.int8(epoch)
    rows.int2(node.role)
    rows.text(node.networkingAddress)
    rows.int2(node.weight)
    rows.numeric(node.committed)
    rows.numeric(node.staked)
    rows.numeric(node.unstaking)
    rows.numeric(node.unstaked)
    rows.numeric(node.rewarded)
    rows.numeric(node.requestedToUnstake)
    rows.int4(node.delegatorCount)
  }
}

function begin(rows: RowWriter, fieldCount: number, { height, txIndex }: Place, eventIndex: number): void {
  rows.row(fieldCount)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(eventIndex)
}

/** Includes system transactions, which end epochs and pay rewards. */
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
