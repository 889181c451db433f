import { accountAt } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import { flow, pebble, usdc } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

/** Two tokens that can be changed for one another. */
export interface Pair {
  readonly index: number
  /** Has the contract `SwapPair`, and the reserves in vaults of its own. */
  readonly contract: Account
  readonly token0: Token
  readonly token1: Token
  /** In units of 10^-8. */
  readonly firstReserves: readonly [bigint, bigint]
}

const unit = 100_000_000n

export const pairs: readonly Pair[] = [
  {
    index: 0,
    contract: accountAt(32),
    token0: flow,
    token1: usdc,
    firstReserves: [2_000_000n * unit, 1_100_000n * unit],
  },
  {
    index: 1,
    contract: accountAt(33),
    token0: flow,
    token1: pebble,
    firstReserves: [300_000n * unit, 15_000_000n * unit],
  },
]

/** What an account has as a pair's, when a tide begins; in units of 10^-8. */
export function reservesAtStart(token: Token, account: Account): bigint {
  const pair = pairs.find(({ contract }) => contract === account)
  if (token === pair?.token0) return pair.firstReserves[0]
  return token === pair?.token1 ? pair.firstReserves[1] : 0n
}
