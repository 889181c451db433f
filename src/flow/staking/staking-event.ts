import type { DecodedEvent } from '../decoded-block.ts'
import { amountField, FieldShapeError, uint64Field } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'

/** An event of FlowIDTableStaking about a node, a delegator, or the rules for all of them. */
export interface StakingEvent {
  readonly index: number
  /** The last part of its type. */
  readonly name: string
  /** 64 hex digits; undefined for rules. */
  readonly nodeId: string | undefined
  /** Counts the delegators of a node from 1; 0 for the node itself. */
  readonly delegatorId: number
  /** UFix64 text: FLOW, or the value of a rule. */
  readonly amount: string | undefined
  /** Counter of the epoch for which a reward is; only since November 2023. */
  readonly epoch: number | undefined
  /** 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; of a new node. */
  readonly role: number | undefined
  /** Host and port, of a node that has a new one. */
  readonly networkingAddress: string | undefined
  /** 0 to 100, of a node that has a new one. */
  readonly weight: number | undefined
}

/** Which fields events of a name have besides `nodeID` and `delegatorID`. */
interface Shape {
  readonly of: 'node' | 'delegator' | 'all'
  readonly amount?: string
  readonly has?: 'role' | 'networkingAddress' | 'weight' | 'epoch'
}

const node: Shape = { of: 'node', amount: 'amount' }
const delegator: Shape = { of: 'delegator', amount: 'amount' }

/**
 * Every event that the contract has had, but for those of epochs (`epoch-event.ts`). The first three of the last group
 * are what the test networks of 2020 had. Source: onflow/flow-core-contracts `contracts/FlowIDTableStaking.cdc`, all
 * versions.
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

/**
 * Reads an event of FlowIDTableStaking by its name. Throws FieldShapeError where it is not as the contract emits it, or
 * where the contract had no such event when this was written.
 */
export function readStakingEvent({ index }: DecodedEvent, name: string, fields: PayloadFields): StakingEvent {
  const shape = shapes.get(name)
  if (shape === undefined) throw new FieldShapeError(`FlowIDTableStaking has no event ${name} that is known`)
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

/** An integer from 0 to `max`, by default what a column of the type integer holds. */
export function smallField(fields: PayloadFields, name: string, max: number = maxInt4): number {
  const value = Number(uint64Field(fields, name))
  if (value > max) throw new FieldShapeError(`field ${name} is greater than ${max}`)
  return value
}

/** A UInt64 that counts or is a view: exact as a number. */
export function counterField(fields: PayloadFields, name: string): number {
  return smallField(fields, name, Number.MAX_SAFE_INTEGER)
}

/** The same for a field that older versions of an event lack. */
export function optionalCounterField(fields: PayloadFields, name: string): number | undefined {
  return fields[name] === undefined ? undefined : counterField(fields, name)
}

/** A UFix64 that older versions of an event lack. */
export function optionalAmountField(fields: PayloadFields, name: string): string | undefined {
  return fields[name] === undefined ? undefined : amountField(fields, name)
}
