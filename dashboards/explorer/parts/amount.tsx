import type { ReactNode } from 'react'
import { cutAmount, formatAmount } from '../text.ts'

export interface AmountProps {
  /** An exact decimal; null where it is not known. */
  readonly amount: string | null
  readonly unit?: string
  /** Digits behind the point; the others are told on hover. Default: all. */
  readonly decimals?: number
}

/** An exact amount with its thousands apart. */
export function Amount({ amount, unit, decimals }: AmountProps): ReactNode {
  if (amount === null) return <span className="soft">–</span>
  const shown = formatAmount(decimals === undefined ? amount : cutAmount(amount, decimals))
  const whole = formatAmount(amount)
  return (
    <span className="amount" title={shown === whole ? undefined : whole}>
      {shown}
      {unit !== undefined && ` ${unit}`}
    </span>
  )
}
