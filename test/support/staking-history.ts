import * as fc from 'fast-check'
import type { DecodedBlock, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { StakingContract } from '../../src/flow/staking/staking-contract.test-support.ts'
import type { Era, Staker } from '../../src/flow/staking/staking-contract.test-support.ts'
import { ufix64Text } from '../../src/flow/tokens/ufix64.ts'

/**
 * A call to the staking contract. Account and amount are numbers taken modulo the valid range, so
 * that most calls succeed.
 */
export interface StakingCall {
  readonly what:
    | 'register-node'
    | 'register-delegator'
    | 'stake'
    | 'stake-unstaked'
    | 'stake-rewarded'
    | 'request'
    | 'unstake-all'
    | 'withdraw-unstaked'
    | 'withdraw-rewarded'
    | 'remove'
    | 'end-auction'
    | 'set-up'
    | 'pay'
    | 'move'
    | 'end-epoch'
  readonly who: number
  readonly amount: bigint
}

/** The contract's state for a staker, as the tables should have it. */
export interface ExpectedStaker {
  readonly node_id: string
  readonly delegator_id: number
  readonly tokens_committed: string
  readonly tokens_staked: string
  readonly tokens_unstaking: string
  readonly tokens_unstaked: string
  readonly tokens_rewarded: string
  /** Null: no event has it. */
  readonly tokens_requested_to_unstake: string | null
}

/** Blocks of height 0 to n, with the expected state after each. */
export interface StakingHistory {
  readonly blocks: readonly DecodedBlock[]
  readonly after: ReadonlyArray<readonly ExpectedStaker[]>
  /** Heights in which an epoch ended. */
  readonly epochEnds: readonly number[]
}

const weights: ReadonlyArray<readonly [StakingCall['what'], number]> = [
  ['register-node', 2],
  ['register-delegator', 6],
  ['stake', 3],
  ['stake-unstaked', 6],
  ['stake-rewarded', 4],
  ['request', 7],
  ['unstake-all', 1],
  ['withdraw-unstaked', 2],
  ['withdraw-rewarded', 2],
  ['remove', 1],
  ['end-auction', 2],
  ['set-up', 2],
  ['pay', 2],
  ['move', 3],
  ['end-epoch', 6],
]

const call: fc.Arbitrary<StakingCall> = fc.record({
  what: fc.oneof(...weights.map(([what, weight]) => ({ weight, arbitrary: fc.constant(what) }))),
  who: fc.nat(20),
  amount: fc.oneof(fc.bigInt(0n, 120n), fc.bigInt(400n, 900n), fc.constant(50n)),
})

/** Transactions of some calls each, after two nodes have registered. */
export const stakingCalls: fc.Arbitrary<StakingCall[][]> = fc
  .array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 40 })
  .map((all) => [[first(0)], [first(1)], ...all])

function first(who: number): StakingCall {
  return { what: 'register-node', who, amount: 700n }
}

/**
 * Runs calls on the contract, one transaction per block. In the 2021 era each transaction has one
 * call, which its script names.
 */
export function playStaking(
  era: Era,
  transactions: readonly (readonly StakingCall[])[],
  template: DecodedBlock,
): StakingHistory {
  const [system] = template.transactions
  if (system === undefined) throw new RangeError('the template has no transaction')
  const contract = new StakingContract(era)
  const blocks: DecodedBlock[] = []
  const after: (readonly ExpectedStaker[])[] = []
  const epochEnds: number[] = []
  const commit = (script: string): void => {
    const height = blocks.length
    const transaction: DecodedTransaction = contract.takeTransaction(0, system, script)
    const timestampUs = template.timestampUs + height * 1_000_000
    blocks.push({ ...template, height, timestampUs, transactions: [transaction] })
    after.push(contract.stakers.map((staker) => expected(staker)))
    if (transaction.events.some(({ type }) => type.endsWith('.NewEpoch'))) epochEnds.push(height)
  }
  for (const calls of era === '2021' ? transactions.flat().map((one) => [one]) : transactions) {
    for (const one of calls) play(contract, one)
    commit(era === '1.0' ? '' : (scripts[calls[0]?.what ?? 'stake'] ?? ''))
  }
  return { blocks, after, epochEnds }
}

const scripts: Readonly<Partial<Record<StakingCall['what'], string>>> = {
  'stake-unstaked': 'staker.stakeUnstakedTokens(amount: amount)',
  'stake-rewarded': 'staker.stakeRewardedTokens(amount: amount)',
}

function play(contract: StakingContract, { what, who, amount }: StakingCall): void {
  const { stakers, nodes } = contract
  const staker = stakers[who % Math.max(stakers.length, 1)]
  const node = nodes[who % Math.max(nodes.length, 1)]
  if (what === 'register-node') contract.registerNode(String(who).padStart(64, '0'), 1 + (who % 5), amount)
  if (node !== undefined) {
    if (what === 'register-delegator') contract.registerDelegator(node.nodeId, amount)
    if (what === 'unstake-all') contract.unstakeAll(node)
    if (what === 'remove') contract.removeNode(node)
  }
  if (staker !== undefined) {
    const { held, requested } = staker
    const upTo = (max: bigint): bigint => amount % (max + 1n)
    if (what === 'stake') contract.stakeNewTokens(staker, amount)
    if (what === 'stake-unstaked') contract.stakeUnstakedTokens(staker, upTo(held.unstaked + requested))
    if (what === 'stake-rewarded') contract.stakeRewardedTokens(staker, upTo(held.rewarded))
    if (what === 'request') contract.requestUnstaking(staker, upTo(held.staked + held.committed - requested))
    if (what === 'withdraw-unstaked') contract.withdraw(staker, 'unstaked', upTo(held.unstaked))
    if (what === 'withdraw-rewarded') contract.withdraw(staker, 'rewarded', upTo(held.rewarded))
  }
  if (what === 'end-auction' || what === 'end-epoch') contract.endAuction()
  if (what === 'set-up') contract.setUpEpoch()
  if (what === 'pay' || what === 'end-epoch') contract.payRewards(({ held }) => held.staked / 7n + 1n)
  if (what === 'move' || what === 'end-epoch') contract.moveTokens()
}

function expected({ nodeId, delegatorId, held, requested, isRequestKnown }: Staker): ExpectedStaker {
  return {
    node_id: nodeId,
    delegator_id: delegatorId,
    tokens_committed: ufix64Text(held.committed),
    tokens_staked: ufix64Text(held.staked),
    tokens_unstaking: ufix64Text(held.unstaking),
    tokens_unstaked: ufix64Text(held.unstaked),
    tokens_rewarded: ufix64Text(held.rewarded),
    tokens_requested_to_unstake: isRequestKnown ? ufix64Text(requested) : null,
  }
}
