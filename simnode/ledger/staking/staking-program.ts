import { nodeCount, stakers, isStakersOwner, ownerInitialBalance, stakerCount } from './stakers.ts'
import type { Staker } from './stakers.ts'
import type { StakingContext, StakingContent } from './staking-table.ts'
import type { Account } from '../world/account.ts'
import { systemAccounts } from '../world/tokens.ts'
import { StakingTable } from './staking-table.ts'

export interface StakingTurn {
  readonly call: StakingCall
  readonly staker: Staker
  /** In units of 10^-8 FLOW. */
  readonly amount: bigint
}

/** `take-back` requests unstaking of committed tokens, and withdraws them. */
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

/** In units of 10^-8 FLOW; less than a node's rewards. */
const roundNode = 10000000n
const roundDelegator = 2_00000000n

const [firstNode, firstDelegator] = stakers as readonly [Staker, Staker, ...Staker[]]
const nodes = stakers.filter(({ delegatorId }) => delegatorId === 0)

/**
 * Each cycle registers a staker until all are registered, withdraws a node's rewards, and has the
 * first node and delegator unstake and stake the same amount.
 */
export const lastingTurns: readonly ((cycle: number, table: StakingTable) => StakingTurn)[] = [
  (cycle) => {
    const next = stakers[cycle]
    if (next === undefined) return { call: 'update-address', staker: nodeOfCycle(cycle), amount: 0n }
    return {
      call: next.delegatorId === 0 ? 'register-node' : 'register-delegator',
      staker: next,
      amount: next.firstAmount,
    }
  },
  (cycle, table) => allOf(cycle < stakers.length ? firstNode : nodeOfCycle(cycle), 'rewarded', table),
  () => ({ call: 'request-unstaking', staker: firstNode, amount: roundNode }),
  (_cycle, table) => ({
    call: table.of(firstNode).rewarded < roundNode ? 'stake-new' : 'stake-rewards',
    staker: firstNode,
    amount: roundNode,
  }),
  (_cycle, table) => allOf(firstNode, 'unstaked', table),
  (cycle, table) => {
    if (cycle < 4) return allOf(firstNode, 'rewarded', table)
    const [staker, step] = [firstDelegator, cycle % 4]
    if (step === 0) return { call: 'request-unstaking', staker, amount: roundDelegator }
    if (step === 2) return { call: 'stake-unstaked', staker, amount: roundDelegator }
    return allOf(staker, 'rewarded', table)
  },
]

function nodeOfCycle(cycle: number): Staker {
  return nodes[cycle % nodeCount] ?? firstNode
}

/** All tokens of a vault, even 0. */
function allOf(staker: Staker, bucket: 'unstaked' | 'rewarded', table: StakingTable): StakingTurn {
  return {
    call: bucket === 'unstaked' ? 'withdraw-unstaked' : 'withdraw-rewards',
    staker,
    amount: table.of(staker)[bucket],
  }
}

/** @throws RangeError for too large an amount */
export function doStaking(table: StakingTable, context: StakingContext, { call, staker, amount }: StakingTurn): void {
  switch (call) {
    case 'register-node':
    case 'register-delegator':
      return table.register(context)
    case 'update-address':
      return table.changeAddress(context, staker.node)
    case 'withdraw-rewards':
      return table.withdraw(context, staker, 'rewarded', amount)
    case 'withdraw-unstaked':
      return table.withdraw(context, staker, 'unstaked', amount)
    case 'request-unstaking':
      return table.requestUnstaking(context, staker, amount)
    case 'stake-new':
      return table.commitNew(context, staker, amount)
    case 'stake-rewards':
      return table.commit(context, staker, 'rewarded', amount)
    case 'stake-unstaked':
      return table.commit(context, staker, 'unstaked', amount)
    case 'take-back':
      table.requestUnstaking(context, staker, amount)
      return table.withdraw(context, staker, 'unstaked', amount)
  }
}

/** Per 1,000,000,000 and epoch of 160 s: about 5.5 % a year. */
const earned = 280n

export function rewardOf(staked: bigint): bigint {
  return (staked * earned) / 1_000_000_000n
}

/** @param epoch the new one */
export function beginEpoch(table: StakingTable, context: StakingContext, epoch: number): void {
  table.payRewards(context, epoch - 1, rewardOf)
  table.moveTokens(context)
}

interface StakingStart extends StakingContent {
  /** By account index, in units of 10^-8 FLOW. */
  readonly purses: ReadonlyMap<number, bigint>
}

/** After a period everything repeats, plus a constant growth. A multiple of 4. */
const period = nodeCount
/** By then all are registered, and have withdrawn their first rewards. */
const settled = stakerCount + period + 4

const recent = new Map<number, StakingStart>()
const maxRecent = 64

let known: readonly StakingStart[] | undefined

/** The first cycles are computed once; later ones repeat them. */
export function stakingAtStart(cycle: number): StakingStart {
  const found = recent.get(cycle)
  if (found !== undefined) return found
  if (recent.size >= maxRecent) recent.clear()
  const start = workedOut(cycle)
  recent.set(cycle, start)
  return start
}

function workedOut(cycle: number): StakingStart {
  known ??= goThrough(settled + 2 * period)
  const laps = Math.max(0, Math.floor((cycle - settled) / period))
  const now = known[cycle - laps * period] as StakingStart
  if (laps === 0) return now
  const later = known[cycle - laps * period + period] as StakingStart
  return extended(now, later, BigInt(laps))
}

function goThrough(cycles: number): StakingStart[] {
  const table = new StakingTable({ stakes: [], addressChanges: Array.from({ length: nodeCount }, () => 0), minted: 0n })
  const purses = new Map<number, bigint>()
  const add = ({ index }: Account, amount: bigint): bigint => {
    const after = (purses.get(index) ?? 0n) + amount
    purses.set(index, after)
    return after
  }
  const context: StakingContext = {
    purse: { withdraw: (account, amount) => add(account, -amount), deposit: add },
    events: [],
    newUuid: () => 0,
  }
  return Array.from({ length: cycles }, (_, cycle) => {
    const start = { ...table.content, purses: new Map(purses) }
    if (cycle > 0) beginEpoch(table, context, cycle)
    for (const turn of lastingTurns) doStaking(table, context, turn(cycle, table))
    context.events.length = 0
    return start
  })
}

/** Repeats the difference of two states that are one period apart. */
function extended(now: StakingStart, later: StakingStart, laps: bigint): StakingStart {
  const grown = (before: bigint, after: bigint): bigint => before + (after - before) * laps
  return {
    stakes: now.stakes.map((stake, index) => {
      const after = later.stakes[index] ?? stake
      return {
        committed: grown(stake.committed, after.committed),
        staked: grown(stake.staked, after.staked),
        unstaking: grown(stake.unstaking, after.unstaking),
        unstaked: grown(stake.unstaked, after.unstaked),
        rewarded: grown(stake.rewarded, after.rewarded),
        requested: grown(stake.requested, after.requested),
      }
    }),
    addressChanges: now.addressChanges.map((changes, node) =>
      Number(grown(BigInt(changes), BigInt(later.addressChanges[node] ?? changes))),
    ),
    purses: new Map([...later.purses].map(([index, after]) => [index, grown(now.purses.get(index) ?? 0n, after)])),
    minted: grown(now.minted, later.minted),
  }
}

/** In units of 10^-8. */
export function stakersFlow(account: Account, cycle: number): bigint {
  const isOwner = isStakersOwner(account)
  if (!isOwner && account !== systemAccounts.flowFees) return 0n
  return (isOwner ? ownerInitialBalance : 0n) + (stakingAtStart(cycle).purses.get(account.index) ?? 0n)
}
