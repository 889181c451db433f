import type { Moment } from './ledger-state.ts'
import type { DraftEvent } from '../events/draft.ts'
import { deposited, vaultOf, withdrawn } from '../events/token-events.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts, tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { eventShape } from '../encoding/cadence.ts'
import type { EventShape } from '../encoding/cadence.ts'
import { accountCreated, vaultCapabilities } from '../events/account-events.ts'

/** @param amount in units of 10^-8 @returns the uuid of the vault that holds the tokens */
export function withdraw(
  { state, newUuid }: Moment,
  token: Token,
  account: Account,
  amount: bigint,
  events: DraftEvent[],
): number {
  const balanceAfter = state.vaults.withdraw(token, account, amount)
  const movedUuid = newUuid()
  events.push(...withdrawn(vaultOf(token, account), amount, movedUuid, balanceAfter))
  return movedUuid
}

export function deposit(
  { state }: Moment,
  token: Token,
  account: Account,
  amount: bigint,
  movedUuid: number,
  events: DraftEvent[],
): void {
  const balanceAfter = state.vaults.deposit(token, account, amount)
  events.push(...deposited(vaultOf(token, account), amount, movedUuid, balanceAfter))
}

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

const shapesOf = (event: string): readonly EventShape[] =>
  tokens.map(({ contract, name }) =>
    eventShape(`A.${contract.hex}.${name}.${event}`, { amount: 'UFix64', type: 'String' }),
  )
const minted = shapesOf('TokensMinted')
const burned = shapesOf('TokensBurned')

/** Not FLOW, which only staking mints. */
export function mintTokens(moment: Moment, token: Token, to: Account, amount: bigint, events: DraftEvent[]): void {
  moment.state.supplies.add(token, amount)
  events.push({ shape: minted[token.index] as EventShape, values: [amount, token.vaultType] })
  deposit(moment, token, to, amount, moment.newUuid(), events)
}

export function burnTokens(moment: Moment, token: Token, from: Account, amount: bigint, events: DraftEvent[]): void {
  withdraw(moment, token, from, amount, events)
  moment.state.supplies.add(token, -amount)
  events.push({ shape: burned[token.index] as EventShape, values: [amount, token.vaultType] })
}

/** In units of 10^-8 FLOW. Constant: a fee by effort would leave no formula for balances. */
export const transactionFee = 1000n

const feesDeducted = eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.FeesDeducted`, {
  amount: 'UFix64',
  inclusionEffort: 'UFix64',
  executionEffort: 'UFix64',
})
const inclusionEffort = 100_000_000n

export function takeFee(moment: Moment, payer: Account, computation: number, events: DraftEvent[]): void {
  moveTokens(moment, flow, payer, systemAccounts.flowFees, transactionFee, events)
  events.push({ shape: feesDeducted, values: [transactionFee, inclusionEffort, BigInt(computation)] })
}

/** Paid by the creator of an account, in units of 10^-8 FLOW. */
export const endowment = 100_000n

const feesDeposited = eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.TokensDeposited`, { amount: 'UFix64' })

export function setUpAccount(moment: Moment, payer: Account, account: Account, events: DraftEvent[]): void {
  const { state, newUuid } = moment
  // The creation fee is 0: the rest of the withdrawn amount.
  const taken = withdraw(moment, flow, payer, endowment, events)
  const given = newUuid()
  const { flowFees } = systemAccounts
  events.push(
    ...withdrawn({ token: flow, account: undefined, uuid: taken }, endowment, given, 0n),
    ...deposited(vaultOf(flow, flowFees), 0n, taken, state.vaults.balance(flow, flowFees)),
    { shape: feesDeposited, values: [0n] },
    ...vaultCapabilities(account),
  )
  deposit(moment, flow, account, endowment, given, events)
  events.push(accountCreated(account))
}
