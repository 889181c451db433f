import type { Account } from '../world/account.ts'
import { peopleCount, placeInRound } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

const unit = 100_000_000n
/** What the poorest have: so much that no flood takes all of it. */
const least = 20_000n * unit
/** Twice as much as `least`, twice as much as that, …: there are as many people between each of these and the next. */
const doublings = 4
/** What the richest has beside it; the second has half of that, the third a third, and so on. */
const fortune = 5_000_000n * unit
/** How many values the part of a chance has that says how far somebody is from one doubling to the next. */
const oneOfChance = 2n ** 32n / BigInt(doublings)
/** Who is rich in one token is not so in the next. */
const rankShift = 1667

/** What an account had before the first block. */
export function genesisBalance(token: Token, account: Account): bigint {
  if (token === flow && account.index === systemAccounts.service.index) return 1_000_000_000n * unit
  const place = placeInRound(account)
  if (place === undefined) return 0n
  const rank = (place + token.index * rankShift) % peopleCount
  return savings(Math.imul(account.index + token.index * 7919, 0x9e3779b1) >>> 0) + fortune / BigInt(rank + 1)
}

/** @param chance 32 bits. In whole numbers, which are the same on all machines. */
function savings(chance: number): bigint {
  const beyond = BigInt(Math.floor(chance / doublings))
  return ((least << BigInt(chance % doublings)) * (oneOfChance + beyond)) / oneOfChance
}
