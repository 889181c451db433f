import type { Account } from '../world/account.ts'
import { peopleCount, placeInRound } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

const unit = 100_000_000n
/** What everybody has: so much that no flood takes all of it. */
const least = 50_000n * unit
/** What the richest has beside it; the second has half of that, the third a third, and so on. */
const fortune = 5_000_000n * unit
/** Who is rich in one token is not so in the next. */
const rankShift = 1667

/** What an account had before the first block. */
export function genesisBalance(token: Token, account: Account): bigint {
  if (token === flow && account.index === systemAccounts.service.index) return 1_000_000_000n * unit
  const place = placeInRound(account)
  if (place === undefined) return 0n
  const rank = (place + token.index * rankShift) % peopleCount
  const change = BigInt(Math.imul(account.index + token.index * 7919, 0x9e3779b1) >>> 0)
  return least + fortune / BigInt(rank + 1) + change * 100n
}
