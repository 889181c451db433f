import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { eventShape } from '../encoding/cadence-type.ts'
import { deposited, withdrawn } from '../events/fungible-events.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts, vaultUuid } from '../world/tokens.ts'
import { accountCreated, vaultCapabilities } from './account-events.ts'
import { deposit, withdraw } from './move-tokens.ts'

/** What whoever creates an account gives it for its storage, in units of 10^-8 FLOW: the least that an account may have. */
export const endowment = 100_000n

const feesDeposited = eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.TokensDeposited`, { amount: 'UFix64' })

/** Sets up an account that has just been made, in the state and as events. */
export function setUpAccount(moment: Moment, payer: Account, account: Account, events: DraftEvent[]): void {
  const { state, newUuid } = moment
  // The creation fee, which is nothing, is what is left of what was taken out.
  const taken = withdraw(moment, flow, payer, endowment, events)
  const given = newUuid()
  events.push(
    ...withdrawn({
      token: flow,
      amount: endowment,
      account: undefined,
      vaultUuid: taken,
      movedUuid: given,
      balanceAfter: 0n,
    }),
    ...deposited({
      token: flow,
      amount: 0n,
      account: systemAccounts.flowFees,
      vaultUuid: vaultUuid(flow, systemAccounts.flowFees),
      movedUuid: taken,
      balanceAfter: state.vaults.balance(flow, systemAccounts.flowFees),
    }),
    { shape: feesDeposited, values: [0n] },
    ...vaultCapabilities(account),
  )
  deposit(moment, flow, account, endowment, given, events)
  events.push(accountCreated(account))
}
