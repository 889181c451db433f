import type { DecodedEvent } from '../decoded-block.ts'
import { amountField, FieldShapeError } from '../event-fields.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { counterField, optionalAmountField, optionalCounterField, smallField, textField } from './staking-event.ts'

/** Fields that the event does not have are undefined. */
export interface EpochEvent {
  readonly index: number
  readonly name: EpochEventName
  /** Epoch counter; undefined for NewEpoch and EpochTotalRewardsPaid before November 2023. */
  readonly epoch: number | undefined
  /** Consensus views, the last ones inclusive. */
  readonly firstView?: number | undefined
  readonly stakingEndView?: number | undefined
  readonly finalView?: number | undefined
  /** Seconds. */
  readonly targetDuration?: number | undefined
  /** Seconds since 1970. */
  readonly targetEndTime?: number | undefined
  /** FLOW, UFix64 texts. */
  readonly totalStaked?: string | undefined
  readonly totalSupply?: string | undefined
  /** Rewards of the starting epoch, or those paid for the previous one. */
  readonly totalRewards?: string | undefined
  readonly fromFees?: string | undefined
  readonly minted?: string | undefined
  readonly feesBurned?: string | undefined
  /** EpochSetup and EpochRecover only. */
  readonly nodes?: readonly EpochNode[]
}

/** Balances before tokens move into the new epoch. */
export interface EpochNode {
  readonly nodeId: string
  readonly role: number
  readonly networkingAddress: string
  readonly weight: number
  readonly committed: string
  readonly staked: string
  readonly unstaking: string
  readonly unstaked: string
  readonly rewarded: string
  readonly requestedToUnstake: string
  readonly delegatorCount: number
}

export type EpochEventName =
  | 'EpochSetup'
  | 'EpochCommit'
  | 'EpochRecover'
  | 'EpochStart'
  | 'NewEpoch'
  | 'EpochTotalRewardsPaid'

type Reader = (fields: PayloadFields) => Omit<EpochEvent, 'index' | 'name'>

/**
 * Setup, Commit and Recover are emitted in the previous epoch. NewEpoch: all tokens have moved.
 * EpochStart follows it. Source: onflow/flow-core-contracts `contracts/epochs/FlowEpoch.cdc`,
 * `contracts/FlowIDTableStaking.cdc`, all versions.
 */
const readers: Readonly<Record<EpochEventName, Reader>> = {
  EpochSetup: readSetup,
  EpochRecover: readSetup,
  EpochCommit: (fields) => ({ epoch: counterField(fields, 'counter') }),
  EpochStart: (fields) => ({
    epoch: counterField(fields, 'counter'),
    firstView: counterField(fields, 'firstView'),
    stakingEndView: counterField(fields, 'stakingAuctionEndView'),
    finalView: counterField(fields, 'finalView'),
    totalStaked: amountField(fields, 'totalStaked'),
    totalSupply: amountField(fields, 'totalFlowSupply'),
    totalRewards: amountField(fields, 'totalRewards'),
  }),
  NewEpoch: (fields) => ({
    epoch: optionalCounterField(fields, 'newEpochCounter'),
    totalStaked: amountField(fields, 'totalStaked'),
    totalRewards: amountField(fields, 'totalRewardPayout'),
  }),
  EpochTotalRewardsPaid: (fields) => ({
    epoch: optionalCounterField(fields, 'epochCounterForRewards'),
    totalRewards: amountField(fields, 'total'),
    fromFees: amountField(fields, 'fromFees'),
    minted: amountField(fields, 'minted'),
    feesBurned: amountField(fields, 'feesBurned'),
  }),
}

export function isEpochEventName(name: string): name is EpochEventName {
  return Object.hasOwn(readers, name)
}

/** @throws FieldShapeError */
export function readEpochEvent({ index }: DecodedEvent, name: EpochEventName, fields: PayloadFields): EpochEvent {
  return { index, name, ...readers[name](fields) }
}

/** End of the year 9999; test networks have arbitrary times. */
const lastTime = 253_402_300_799

function readSetup(fields: PayloadFields): Omit<EpochEvent, 'index' | 'name'> {
  const { nodeInfo } = fields
  if (!Array.isArray(nodeInfo)) throw new FieldShapeError('field nodeInfo is not an array')
  const nodes = nodeInfo.map(readNode).toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
  if (new Set(nodes.map(({ nodeId }) => nodeId)).size < nodes.length) {
    throw new FieldShapeError('field nodeInfo has a duplicate node')
  }
  const targetEndTime = optionalCounterField(fields, 'targetEndTime')
  return {
    epoch: counterField(fields, 'counter'),
    firstView: counterField(fields, 'firstView'),
    finalView: counterField(fields, 'finalView'),
    targetDuration: optionalCounterField(fields, 'targetDuration'),
    targetEndTime: targetEndTime === undefined || targetEndTime > lastTime ? undefined : targetEndTime,
    nodes,
  }
}

function readNode(value: PayloadValue): EpochNode {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new FieldShapeError('field nodeInfo has an item that is not a NodeInfo')
  }
  const { delegators } = value
  return {
    nodeId: textField(value, 'id'),
    role: smallField(value, 'role', 255),
    networkingAddress: textField(value, 'networkingAddress'),
    weight: smallField(value, 'initialWeight', 100),
    committed: amountField(value, 'tokensCommitted'),
    staked: amountField(value, 'tokensStaked'),
    unstaking: amountField(value, 'tokensUnstaking'),
    unstaked: amountField(value, 'tokensUnstaked'),
    rewarded: amountField(value, 'tokensRewarded'),
    requestedToUnstake: optionalAmountField(value, 'tokensRequestedToUnstake') ?? '0.00000000',
    delegatorCount: Array.isArray(delegators) ? delegators.length : 0,
  }
}
