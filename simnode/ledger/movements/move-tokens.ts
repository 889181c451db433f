import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { deposited, withdrawn } from '../events/fungible-events.ts'
import type { Account } from '../world/account.ts'
import { vaultUuid } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

/**
 * Takes tokens out of an account's vault, in the state and as events.
 * @param amount in units of 10^-8
 * @returns the uuid of the vault that they are in now
 */
export function withdraw(
  { state, newUuid }: Moment,
  token: Token,
  account: Account,
  amount: bigint,
  events: DraftEvent[],
): number {
  const balanceAfter = state.vaults.withdraw(token, account, amount)
  const movedUuid = newUuid()
  events.push(...withdrawn({ token, amount, account, vaultUuid: vaultUuid(token, account), movedUuid, balanceAfter }))
  return movedUuid
}

/** Puts a vault of that uuid into an account's vault, in the state and as events. */
export function deposit(
  { state }: Moment,
  token: Token,
  account: Account,
  amount: bigint,
  movedUuid: number,
  events: DraftEvent[],
): void {
  const balanceAfter = state.vaults.deposit(token, account, amount)
  events.push(...deposited({ token, amount, account, vaultUuid: vaultUuid(token, account), movedUuid, balanceAfter }))
}

/** Both at once. */
export function moveTokens(
  moment: Moment,
  token: Token,
  from: Account,
  to: Account,
  amount: bigint,
  events: DraftEvent[],
): void {
  deposit(moment, token, to, amount, withdraw(moment, token, from, amount, events), events)
}
