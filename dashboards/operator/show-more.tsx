import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { formatNumber } from '../kit/formats.ts'

const limits = [8, 50, 100] as const

/** How many rows of a list are read, and how to read more: few at first, so that what is below stays in sight. */
export function useLimit(): [number, () => void] {
  const [step, setStep] = useState(0)
  return [limits[step] ?? 100, () => setStep((old) => Math.min(limits.length - 1, old + 1))]
}

export interface ShowMoreProps {
  readonly shown: number
  readonly total: number
  readonly limit: number
  readonly onMore: () => void
}

export function ShowMore({ shown, total, limit, onMore }: ShowMoreProps): ReactNode {
  if (shown >= total) return null
  const isLast = limit >= (limits.at(-1) ?? 0)
  return (
    <div className="show-more">
      <span className="soft">
        {formatNumber(shown)} of {formatNumber(total)}
        {isLast ? ': the rest can be reached by filters, or all at once' : ''}
      </span>
      {!isLast && (
        <Button isSmall onClick={onMore}>
          Show more
        </Button>
      )}
    </div>
  )
}
