import type { Account } from '../world/account.ts'
import { systemAccounts } from '../world/tokens.ts'
import { isStakersOwner, nodeCount, ownersFirstBalance, stakerCount } from './stakers.ts'
import { beginEpoch, doStaking, lastingTurns } from './staking-program.ts'
import { StakingTable } from './staking-table.ts'
import type { StakingContent, Teller } from './staking-table.ts'

/** What staking has left behind. */
export interface StakingStart extends StakingContent {
  /** By index of the account: FLOW that staking has put into its vault, or taken out of it, in units of 10^-8. */
  readonly purses: ReadonlyMap<number, bigint>
}

/** After so many tides all is as it was, but for what grows by the same amount each time; 4 divides it. */
const period = nodeCount
/** All is registered by then, and every node has taken out what it earned until all were. */
const settled = stakerCount + period + 4

/** Starts that were worked out last. */
const recent = new Map<number, StakingStart>()
const mostRecent = 64

let known: readonly StakingStart[] | undefined

/**
 * Staking as it is when a tide begins, before its first block. The first tides are gone through, once; from then on all
 * repeats itself.
 */
export function stakingAtStart(tide: number): StakingStart {
  const found = recent.get(tide)
  if (found !== undefined) return found
  if (recent.size >= mostRecent) recent.clear()
  const start = workedOut(tide)
  recent.set(tide, start)
  return start
}

function workedOut(tide: number): StakingStart {
  known ??= goThrough(settled + 2 * period)
  const laps = Math.max(0, Math.floor((tide - settled) / period))
  const now = known[tide - laps * period] as StakingStart
  if (laps === 0) return now
  const later = known[tide - laps * period + period] as StakingStart
  return extended(now, later, BigInt(laps))
}

function goThrough(tides: number): StakingStart[] {
  const table = new StakingTable({ stakes: [], addressChanges: Array.from({ length: nodeCount }, () => 0), minted: 0n })
  const purses = new Map<number, bigint>()
  const add = ({ index }: Account, amount: bigint): bigint => {
    const after = (purses.get(index) ?? 0n) + amount
    purses.set(index, after)
    return after
  }
  const teller: Teller = {
    purse: { withdraw: (account, amount) => add(account, -amount), deposit: add },
    events: [],
    newUuid: () => 0,
  }
  return Array.from({ length: tides }, (_, tide) => {
    const start = { ...table.content, purses: new Map(purses) }
    if (tide > 0) beginEpoch(table, teller, tide)
    for (const turn of lastingTurns) doStaking(table, teller, turn(tide, table))
    teller.events.length = 0
    return start
  })
}

/** As many laps later, where each adds what lies between two states that are one lap apart. */
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

/** FLOW that an account has by staking, or for it, when a tide begins; in units of 10^-8. */
export function stakersFlow(account: Account, tide: number): bigint {
  const isOwner = isStakersOwner(account)
  if (!isOwner && account !== systemAccounts.flowFees) return 0n
  return (isOwner ? ownersFirstBalance : 0n) + (stakingAtStart(tide).purses.get(account.index) ?? 0n)
}
