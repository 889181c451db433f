import type { RowWriter } from '../../src/base/row-writer.ts'
import type { BucketMove } from '../../src/chain/staking/bucket-moves.ts'
import type { EpochEvent } from '../../src/chain/staking/epoch-event.ts'
import type { StakingEvent } from '../../src/chain/staking/staking-event.ts'
import { epochEvents, epochNodes, stakingEvents } from './tables.ts'

/** Of a transaction. */
export interface Place {
  readonly height: number
  readonly txIndex: number
  /** Of the block, microseconds since 1970. */
  readonly timestampUs: number
  /** Who authorized the transaction first. */
  readonly account: string | undefined
}

export function writeStakingEvent(
  rows: RowWriter, place: Place, event: StakingEvent, move: BucketMove | undefined,
): void {
  const { name, nodeId, delegatorId, amount, epoch, role, networkingAddress, weight } = event
  begin(rows, stakingEvents.columns.length, place, event.index)
  rows.text(name)
  text(rows, nodeId)
  if (nodeId === undefined) rows.null()
  else rows.int4(delegatorId)
  numeric(rows, amount)
  text(rows, move?.from)
  text(rows, move?.to)
  numeric(rows, move?.amount === amount ? undefined : move?.amount)
  int8(rows, epoch)
  int2(rows, role)
  text(rows, networkingAddress)
  int2(rows, weight)
  text(rows, name === 'NewNodeCreated' || name === 'NewDelegatorCreated' ? place.account : undefined)
}

export function writeEpochEvent(rows: RowWriter, place: Place, event: EpochEvent): void {
  begin(rows, epochEvents.columns.length, place, event.index)
  rows.text(event.name)
  int8(rows, event.epoch)
  rows.timestamptzUs(place.timestampUs)
  int8(rows, event.firstView)
  int8(rows, event.stakingEndView)
  int8(rows, event.finalView)
  int8(rows, event.targetDuration)
  if (event.targetEndTime === undefined) rows.null()
  else rows.timestamptzUs(event.targetEndTime * 1_000_000)
  numeric(rows, event.totalStaked)
  numeric(rows, event.totalSupply)
  numeric(rows, event.totalRewards)
  numeric(rows, event.fromFees)
  numeric(rows, event.minted)
  numeric(rows, event.feesBurned)
  if (event.nodes === undefined) rows.null()
  else rows.int4(event.nodes.length)
}

export function writeEpochNodes(rows: RowWriter, place: Place, { index, epoch = 0, nodes = [] }: EpochEvent): void {
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

function text(rows: RowWriter, value: string | undefined): void {
  if (value === undefined) rows.null()
  else rows.text(value)
}

function numeric(rows: RowWriter, value: string | undefined): void {
  if (value === undefined) rows.null()
  else rows.numeric(value)
}

function int8(rows: RowWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.int8(value)
}

function int2(rows: RowWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.int2(value)
}
