import { stakerCount, stakers } from './stakers.ts'
import type { Staker } from './stakers.ts'
import type { StakingTable, Teller } from './staking-table.ts'

/** One call to the staking table that is never given back. */
export interface LastingTurn {
  /** Says in the transaction's script what is done. */
  readonly call: LastingCall
  /** Whose tokens move. */
  readonly staker: Staker
  run(table: StakingTable, teller: Teller): void
}

export type LastingCall =
  | 'register-node' | 'register-delegator' | 'update-address' | 'withdraw-rewards' | 'request-unstaking' | 'stake-new'
  | 'stake-rewards' | 'stake-unstaked' | 'withdraw-unstaked'

/** What one unstakes and stakes again in every tide, in units of 10^-8 FLOW. */
const roundNode = 5_00000000n
const roundDelegator = 2_00000000n

const [firstNode, firstDelegator] = stakers as readonly [Staker, Staker, ...Staker[]]

/**
 * The lasting turns of a tide, in their order: they follow from its number and from what is in the table, and in a tide's
 * flood they come before all that is given back. One more is registered in each tide until all are; one node takes out what
 * it earned; the first node, and the first delegator, unstake something and stake as much again.
 */
export const lastingTurns: readonly ((tide: number, table: StakingTable) => LastingTurn)[] = [
  (tide) => {
    const next = stakers[tide]
    if (next !== undefined) {
      return { call: next.delegatorId === 0 ? 'register-node' : 'register-delegator', staker: next, run: (table, teller) => table.register(teller) }
    }
    const staker = nodeOfTide(tide)
    return { call: 'update-address', staker, run: (table, teller) => table.changeAddress(teller, staker.node) }
  },
  (tide, table) => {
    const staker = tide < stakerCount ? firstNode : nodeOfTide(tide)
    return withdrawal(staker, 'rewarded', table)
  },
  () => ({ call: 'request-unstaking', staker: firstNode, run: (table, teller) => table.requestUnstaking(teller, firstNode, roundNode) }),
  (_tide, table) => table.of(firstNode).rewarded < roundNode
    ? { call: 'stake-new', staker: firstNode, run: (_, teller) => table.commitNew(teller, firstNode, roundNode) }
    : { call: 'stake-rewards', staker: firstNode, run: (_, teller) => table.commit(teller, firstNode, 'rewarded', roundNode) },
  (_tide, table) => withdrawal(firstNode, 'unstaked', table),
  (tide, table) => {
    const step = tide % 4
    // It is the second to register, in the second tide.
    if (tide < 4 || step === 3) return withdrawal(tide < 4 ? firstNode : firstDelegator, 'rewarded', table)
    const staker = firstDelegator
    if (step === 0) return { call: 'request-unstaking', staker, run: (_, teller) => table.requestUnstaking(teller, staker, roundDelegator) }
    if (step === 1) return withdrawal(staker, 'rewarded', table)
    return { call: 'stake-unstaked', staker, run: (_, teller) => table.commit(teller, staker, 'unstaked', roundDelegator) }
  },
]

function nodeOfTide(tide: number): Staker {
  const nodes = stakers.filter(({ delegatorId }) => delegatorId === 0)
  return nodes[tide % nodes.length] ?? firstNode
}

/** All that there is, and be it nothing. */
function withdrawal(staker: Staker, bucket: 'unstaked' | 'rewarded', table: StakingTable): LastingTurn {
  return {
    call: bucket === 'unstaked' ? 'withdraw-unstaked' : 'withdraw-rewards', staker,
    run: (_, teller) => table.withdraw(teller, staker, bucket, table.of(staker)[bucket]),
  }
}

/** What is earned in an epoch: 45 of 100,000. */
export function rewardOf(staked: bigint): bigint {
  return staked * 45n / 100_000n
}

/**
 * What the chain itself does when a tide, and with it an epoch, begins.
 * @param epoch the one that begins; none ends with the first
 * @returns how much FLOW was minted
 */
export function beginEpoch(table: StakingTable, teller: Teller, epoch: number): bigint {
  const minted = table.payRewards(teller, epoch - 1, rewardOf)
  table.moveTokens(teller)
  return minted
}
