import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import type { Account } from '../world/account.ts'
import { flow, vaultUuid } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { tokenEvents } from './token-events.ts'

/**
 * Takes tokens out of an account's vault, in the state and as events.
 * @param amount in units of 10^-8
 * @returns the uuid of the vault that they are in now
 */
export function withdraw(moment: Moment, token: Token, from: Account, amount: bigint, events: DraftEvent[]): number {
  const after = moment.state.vaults.withdraw(token, from, amount)
  const uuid = moment.newUuid()
  if (token === flow) events.push({ shape: tokenEvents.flowWithdrawn, values: [amount, from.address] })
  events.push({
    shape: tokenEvents.withdrawn,
    values: [token.vaultType, amount, from.address, vaultUuid(token, from), uuid, after],
  })
  return uuid
}

/** Puts a vault of that uuid into an account's vault, in the state and as events. */
export function deposit(
  moment: Moment, token: Token, to: Account, amount: bigint, uuid: number, events: DraftEvent[],
): void {
  const after = moment.state.vaults.deposit(token, to, amount)
  if (token === flow) events.push({ shape: tokenEvents.flowDeposited, values: [amount, to.address] })
  events.push({
    shape: tokenEvents.deposited,
    values: [token.vaultType, amount, to.address, vaultUuid(token, to), uuid, after],
  })
}

/** Both at once. */
export function moveTokens(
  moment: Moment, token: Token, from: Account, to: Account, amount: bigint, events: DraftEvent[],
): void {
  deposit(moment, token, to, amount, withdraw(moment, token, from, amount, events), events)
}
