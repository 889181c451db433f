import type { Account } from '../world/account.ts'
import { placeInRound } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

const unit = 100_000_000n

/** What an account had before the first block. So much that no flood takes all of it. */
export function genesisBalance(token: Token, account: Account): bigint {
  if (token === flow && account.index === systemAccounts.service.index) return 1_000_000_000n * unit
  if (placeInRound(account) === undefined) return 0n
  const spread = BigInt(Math.imul(account.index + token.index * 7919, 0x9e3779b1) >>> 0)
  return 100_000n * unit + spread * 1000n
}
