import type { ReactNode } from 'react'
import { splitAmount } from './formats.ts'

interface ExactAmountProps {
  /** With all its decimals. */
  readonly amount: string
  readonly unit?: string | undefined
  /** Shown decimals of amounts above one. */
  readonly decimals?: number | undefined
}

/** Shortened. The hover text and a copied selection have all decimals. */
export function ExactAmount({ amount, unit, decimals }: ExactAmountProps): ReactNode {
  const [shown, hidden] = splitAmount(amount, decimals)
  return (
    <span className="amount" title={hidden === '' ? undefined : amount}>
      {hidden === '' ? (
        shown
      ) : (
        <span className="short-digits">
          {shown}
          <span className="hidden-digits">{hidden}</span>
        </span>
      )}
      {unit !== undefined && ` ${unit}`}
    </span>
  )
}
