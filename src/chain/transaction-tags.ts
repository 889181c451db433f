/** What the tags of a transaction are made of: its tag events in the order of execution. */
export interface TagEvent {
  readonly type: string
  /** Field `amount`, a decimal number; null where the event has none. */
  readonly amount: string | null
  /** Field `to`, an address; null where the event has none or it is nil. */
  readonly to: string | null
}

export type TransactionTag = 'EVM' | 'FT_TRANSFER'

export interface TransactionSummaryFacts {
  readonly tags: readonly TransactionTag[]
  /** What the payer paid, a decimal number with 8 places; undefined where the transaction deducted no fee. */
  readonly fee: string | undefined
}

/**
 * Endings of the event types that `describeTransaction` looks at: who reads events for it may leave out all others.
 * `FungibleToken.Deposited` is the standard's event since Cadence 1.0; `TokensDeposited` is what each token emitted
 * itself before, and FlowToken still does.
 */
export const tagEventEndings = [
  '.EVM.TransactionExecuted', '.FungibleToken.Deposited', '.TokensDeposited', '.FlowFees.FeesDeducted',
] as const

/**
 * Tags and fee of a transaction.
 *
 * - `EVM`: the script imports EVM, or an EVM transaction was executed (a script reaches EVM through the bridge too).
 * - `FT_TRANSFER`: fungible tokens arrived in an account. Deposits of nothing and into vaults that lie in no account
 *   do not count, and neither does the movement of the fee: the last deposit of the fee's amount before each
 *   FlowFees.FeesDeducted, once in the standard's form and once in the token's own. Going by amount and place, not by
 *   account, since the network spreads fees over accounts that it changes by itself.
 *
 * @param isEvmScript whether the script contains the text `import EVM`
 */
export function describeTransaction(isEvmScript: boolean, events: readonly TagEvent[]): TransactionSummaryFacts {
  let isEvm = isEvmScript
  let fee: string | undefined
  let deposits: Deposit[] = []
  for (const { type, amount, to } of events) {
    if (type.endsWith('.EVM.TransactionExecuted')) isEvm = true
    else if (type.endsWith('.FlowFees.FeesDeducted')) {
      if (amount === null) continue
      fee = amount
      deposits = withoutLast(withoutLast(deposits, true, amount), false, amount)
    } else if (amount !== null && to !== null && /[1-9]/.test(amount)) {
      const isStandard = type.endsWith('.FungibleToken.Deposited')
      if (isStandard || type.endsWith('.TokensDeposited')) deposits.push({ isStandard, amount })
    }
  }
  const tags: TransactionTag[] = []
  if (isEvm) tags.push('EVM')
  if (deposits.length > 0) tags.push('FT_TRANSFER')
  return { tags, fee }
}

interface Deposit {
  readonly isStandard: boolean
  readonly amount: string
}

function withoutLast(deposits: Deposit[], isStandard: boolean, amount: string): Deposit[] {
  const at = deposits.findLastIndex((deposit) => deposit.isStandard === isStandard && deposit.amount === amount)
  return at < 0 ? deposits : deposits.toSpliced(at, 1)
}
