import { nodeCount, stakers } from './stakers.ts'
import type { Staker } from './stakers.ts'
import type { StakingTable, Teller } from './staking-table.ts'

/** One call to the staking table. */
export interface StakingTurn {
  readonly call: StakingCall
  /** Whose tokens move. */
  readonly staker: Staker
  /** In units of 10^-8 FLOW. */
  readonly amount: bigint
}

/** `take-back` asks for committed tokens and withdraws them at once. */
export type StakingCall =
  | 'register-node'
  | 'register-delegator'
  | 'update-address'
  | 'withdraw-rewards'
  | 'request-unstaking'
  | 'stake-new'
  | 'stake-rewards'
  | 'stake-unstaked'
  | 'withdraw-unstaked'
  | 'take-back'

/** What one unstakes and stakes again in every tide, in units of 10^-8 FLOW: less than a node earns meanwhile. */
const roundNode = 10000000n
const roundDelegator = 2_00000000n

const [firstNode, firstDelegator] = stakers as readonly [Staker, Staker, ...Staker[]]
const nodes = stakers.filter(({ delegatorId }) => delegatorId === 0)

/**
 * The turns of a tide that are never given back, in their order: they follow from its number and from what is in the table.
 * One more is registered in each tide until all are; one node takes out what it earned; the first node, and the first
 * delegator, unstake something and stake as much again.
 */
export const lastingTurns: readonly ((tide: number, table: StakingTable) => StakingTurn)[] = [
  (tide) => {
    const next = stakers[tide]
    if (next === undefined) return { call: 'update-address', staker: nodeOfTide(tide), amount: 0n }
    return {
      call: next.delegatorId === 0 ? 'register-node' : 'register-delegator',
      staker: next,
      amount: next.firstAmount,
    }
  },
  (tide, table) => allOf(tide < stakers.length ? firstNode : nodeOfTide(tide), 'rewarded', table),
  () => ({ call: 'request-unstaking', staker: firstNode, amount: roundNode }),
  (_tide, table) => ({
    call: table.of(firstNode).rewarded < roundNode ? 'stake-new' : 'stake-rewards',
    staker: firstNode,
    amount: roundNode,
  }),
  (_tide, table) => allOf(firstNode, 'unstaked', table),
  (tide, table) => {
    // The first delegator comes in the second tide.
    if (tide < 4) return allOf(firstNode, 'rewarded', table)
    const [staker, step] = [firstDelegator, tide % 4]
    if (step === 0) return { call: 'request-unstaking', staker, amount: roundDelegator }
    if (step === 2) return { call: 'stake-unstaked', staker, amount: roundDelegator }
    return allOf(staker, 'rewarded', table)
  },
]

function nodeOfTide(tide: number): Staker {
  return nodes[tide % nodeCount] ?? firstNode
}

/** All that there is, and be it nothing. */
function allOf(staker: Staker, bucket: 'unstaked' | 'rewarded', table: StakingTable): StakingTurn {
  return {
    call: bucket === 'unstaked' ? 'withdraw-unstaked' : 'withdraw-rewards',
    staker,
    amount: table.of(staker)[bucket],
  }
}

/** Does a turn. @throws RangeError where there is not so much */
export function doStaking(table: StakingTable, teller: Teller, { call, staker, amount }: StakingTurn): void {
  switch (call) {
    case 'register-node':
    case 'register-delegator':
      return table.register(teller)
    case 'update-address':
      return table.changeAddress(teller, staker.node)
    case 'withdraw-rewards':
      return table.withdraw(teller, staker, 'rewarded', amount)
    case 'withdraw-unstaked':
      return table.withdraw(teller, staker, 'unstaked', amount)
    case 'request-unstaking':
      return table.requestUnstaking(teller, staker, amount)
    case 'stake-new':
      return table.commitNew(teller, staker, amount)
    case 'stake-rewards':
      return table.commit(teller, staker, 'rewarded', amount)
    case 'stake-unstaked':
      return table.commit(teller, staker, 'unstaked', amount)
    case 'take-back':
      table.requestUnstaking(teller, staker, amount)
      return table.withdraw(teller, staker, 'unstaked', amount)
  }
}

/** What is earned in an epoch of 160 s, of 1,000,000,000: some 5.5 % in a year. */
const earned = 280n

export function rewardOf(staked: bigint): bigint {
  return (staked * earned) / 1_000_000_000n
}

/**
 * What the chain itself does when a tide, and with it an epoch, begins.
 * @param epoch the one that begins; none ends with the first
 */
export function beginEpoch(table: StakingTable, teller: Teller, epoch: number): void {
  table.payRewards(teller, epoch - 1, rewardOf)
  table.moveTokens(teller)
}
