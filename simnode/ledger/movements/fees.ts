import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { eventShape } from '../encoding/cadence-type.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import { moveTokens } from './move-tokens.ts'

/** What every user transaction costs, in units of 10^-8 FLOW: a price by effort would leave no closed form of balances. */
export const transactionFee = 1000n

const feesDeducted = eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.FeesDeducted`, {
  amount: 'UFix64',
  inclusionEffort: 'UFix64',
  executionEffort: 'UFix64',
})
const inclusionEffort = 100_000_000n

/** Takes the fee of a transaction, in the state and as events. */
export function takeFee(moment: Moment, payer: Account, computation: number, events: DraftEvent[]): void {
  moveTokens(moment, flow, payer, systemAccounts.flowFees, transactionFee, events)
  events.push({ shape: feesDeducted, values: [transactionFee, inclusionEffort, BigInt(computation)] })
}
