import type { FungibleTransfer, Unnamed } from './token-moves.ts'

/** What FlowFees says of a fee. */
export interface FeeEvent {
  readonly eventIndex: number
  readonly amount: string
  /** `FeesDeducted`, since March 2022; before, `FlowFees.TokensDeposited` was all that told of it. */
  readonly isDeduction: boolean
}

/**
 * Finds the transfers that are the fee of a transaction: of each fee event, the last arrival of FLOW before it, if that
 * is of the fee's amount. Going by place and amount, not by receiver: the network spreads fees over accounts that it
 * changes by itself, and anybody may send the same amount to one of them, but the chain deducts the fee last.
 * Source: onflow/flow-core-contracts `contracts/FlowFees.cdc`, `deductTransactionFee`.
 * @param transfers in the order of `eventIndex`
 */
export function markFees(
  transfers: readonly Unnamed<FungibleTransfer>[],
  fees: readonly FeeEvent[],
  flowToken: string,
): void {
  const hasDeduction = fees.some((fee) => fee.isDeduction)
  for (const { eventIndex, amount, isDeduction } of fees) {
    if (isDeduction !== hasDeduction) continue
    const last = transfers.findLast(
      (transfer) => transfer.eventIndex < eventIndex && transfer.token === flowToken && transfer.to !== undefined,
    )
    if (last?.type === 'transfer' && last.amount === amount) last.type = 'fee'
  }
}
