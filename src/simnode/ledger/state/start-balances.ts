import type { Activity } from '../activity.ts'
import { transactionFee } from '../movements/fees.ts'
import type { Account } from '../world/account.ts'
import { placeInRound, turnsOf } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import type { StartBalance } from './vaults.ts'

const unit = 100_000_000n

/** What an account had before the first block. So much that no flood takes all of it. */
export function genesisBalance(token: Token, account: Account): bigint {
  if (token === flow && account.index === systemAccounts.service.index) return 1_000_000_000n * unit
  if (placeInRound(account) === undefined) return 0n
  const spread = BigInt(Math.imul(account.index + token.index * 7919, 0x9e3779b1) >>> 0)
  return 100_000n * unit + spread * 1000n
}

/** How often something was done before a tide. */
export interface TurnsBefore {
  /** The tide that begins. */
  readonly tide: number
  /** User transactions of all kinds. */
  readonly transactions: number
  of(activity: Activity): number
}

/** The balances at the start of a tide: those of genesis, all fees since, and what activities leave behind. */
export function startBalances(activities: readonly Activity[], turns: TurnsBefore): StartBalance {
  const lasting = activities.filter((activity) => activity.lasting !== undefined)
  return (token, account) => {
    let balance = genesisBalance(token, account)
    if (token === flow) {
      balance -= BigInt(turnsOf(account, turns.transactions)) * transactionFee
      if (account.index === systemAccounts.flowFees.index) balance += BigInt(turns.transactions) * transactionFee
    }
    for (const activity of lasting) balance += activity.lasting?.(token, account, turns.of(activity), turns.tide) ?? 0n
    return balance
  }
}
