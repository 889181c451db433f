import type { Activity } from '../activity.ts'
import { transactionFee } from '../movements/fees.ts'
import { turnsOf } from '../world/people.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import { genesisBalance } from './genesis-balance.ts'
import type { StartBalance } from './vaults.ts'

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
