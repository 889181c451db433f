import type { DecodedEvent } from '../decoded-block.ts'
import { amountField, FieldShapeError, uint64Field } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'

/** Event of a node, of a delegator, or of the staking rules. */
export interface StakingEvent {
  readonly index: number
  readonly name: string
  /** 64 hex digits; undefined for rules. */
  readonly nodeId: string | undefined
  /** From 1 within a node; 0 for the node itself. */
  readonly delegatorId: number
  /** UFix64: FLOW, or the value of a rule. */
  readonly amount: string | undefined
  /** Since November 2023. */
  readonly epoch: number | undefined
  /** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access. */
  readonly role: number | undefined
  readonly networkingAddress: string | undefined
  /** 0 to 100. */
  readonly weight: number | undefined
}

interface Shape {
  readonly of: 'node' | 'delegator' | 'all'
  readonly amount?: string
  readonly has?: 'role' | 'networkingAddress' | 'weight' | 'epoch'
}

const node: Shape = { of: 'node', amount: 'amount' }
const delegator: Shape = { of: 'delegator', amount: 'amount' }

/**
 * The first three of the last group are from test networks of 2020. Source:
 * onflow/flow-core-contracts `contracts/FlowIDTableStaking.cdc`, all versions.
 */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['NewNodeCreated', { of: 'node', amount: 'amountCommitted', has: 'role' }],
  ['TokensCommitted', node],
  ['TokensStaked', node],
  ['NodeTokensRequestedToUnstake', node],
  ['TokensUnstaking', node],
  ['TokensUnstaked', node],
  ['NodeRemovedAndRefunded', node],
  ['RewardsPaid', { ...node, has: 'epoch' }],
  ['UnstakedTokensWithdrawn', node],
  ['RewardTokensWithdrawn', node],
  ['NetworkingAddressUpdated', { of: 'node', has: 'networkingAddress' }],
  ['NodeWeightChanged', { of: 'node', has: 'weight' }],
  ['NewDelegatorCreated', { of: 'delegator' }],
  ['DelegatorTokensCommitted', delegator],
  ['DelegatorTokensStaked', delegator],
  ['DelegatorTokensRequestedToUnstake', delegator],
  ['DelegatorTokensUnstaking', delegator],
  ['DelegatorTokensUnstaked', delegator],
  ['DelegatorRewardsPaid', { ...delegator, has: 'epoch' }],
  ['DelegatorUnstakedTokensWithdrawn', delegator],
  ['DelegatorRewardTokensWithdrawn', delegator],
  ['NewDelegatorCutPercentage', { of: 'all', amount: 'newCutPercentage' }],
  ['NewWeeklyPayout', { of: 'all', amount: 'newPayout' }],
  ['NewDelegatorStakingMinimum', { of: 'all', amount: 'newMinimum' }],
  ['NewStakingMinimums', { of: 'all' }],
  ['TokensUnStaked', node],
  ['UnlockedTokensWithdrawn', node],
  ['DelegatorUnlockedTokensWithdrawn', delegator],
])

const maxInt4 = 2_147_483_647

/** @throws FieldShapeError */
export function readStakingEvent({ index }: DecodedEvent, name: string, fields: PayloadFields): StakingEvent {
  const shape = shapes.get(name)
  if (shape === undefined) throw new FieldShapeError(`unknown event ${name} of FlowIDTableStaking`)
  const { of, amount, has } = shape
  return {
    index,
    name,
    nodeId: of === 'all' ? undefined : textField(fields, 'nodeID'),
    delegatorId: of === 'delegator' ? smallField(fields, 'delegatorID') : 0,
    amount: amount === undefined ? undefined : amountField(fields, amount),
    epoch: has === 'epoch' ? optionalCounterField(fields, 'epochCounter') : undefined,
    role: has === 'role' ? smallField(fields, 'role', 255) : undefined,
    networkingAddress: has === 'networkingAddress' ? textField(fields, 'newAddress') : undefined,
    weight: has === 'weight' ? smallField(fields, 'newWeight', 100) : undefined,
  }
}

export function textField(fields: PayloadFields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string' || value === '') throw new FieldShapeError(`field ${name} is not a String`)
  return value
}

/** Default: the range of type integer. */
export function smallField(fields: PayloadFields, name: string, max: number = maxInt4): number {
  const value = Number(uint64Field(fields, name))
  if (value > max) throw new FieldShapeError(`field ${name} exceeds ${max}`)
  return value
}

/** Exact as a number. */
export function counterField(fields: PayloadFields, name: string): number {
  return smallField(fields, name, Number.MAX_SAFE_INTEGER)
}

/** Undefined in older event versions. */
export function optionalCounterField(fields: PayloadFields, name: string): number | undefined {
  return fields[name] === undefined ? undefined : counterField(fields, name)
}

/** Undefined in older event versions. */
export function optionalAmountField(fields: PayloadFields, name: string): string | undefined {
  return fields[name] === undefined ? undefined : amountField(fields, name)
}
