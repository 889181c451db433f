import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { flow } from '../world/tokens.ts'
import type { Teller } from './staking-table.ts'

/** Where the staking table tells what happens in a block, and takes FLOW from. */
export function stakingTeller({ state: { vaults }, newUuid }: Moment, events: DraftEvent[]): Teller {
  return {
    events,
    newUuid,
    purse: {
      withdraw: (account, amount) => vaults.withdraw(flow, account, amount),
      deposit: (account, amount) => vaults.deposit(flow, account, amount),
    },
  }
}
