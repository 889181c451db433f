import type { ReactNode } from 'react'
import { formatAmount } from '../text.ts'

export interface AmountProps {
  /** An exact decimal; null where it is not known. */
  readonly amount: string | null
  readonly unit?: string
}

/** An exact amount with its thousands apart. */
export function Amount({ amount, unit }: AmountProps): ReactNode {
  if (amount === null) return <span className="soft">–</span>
  return (
    <span className="amount">
      {formatAmount(amount)}
      {unit !== undefined && ` ${unit}`}
    </span>
  )
}
