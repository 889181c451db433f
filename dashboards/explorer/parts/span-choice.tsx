import type { ReactNode } from 'react'
import { useSearchValue } from '../../kit/router.ts'

const spans = [30, 90, 365] as const
const usual = spans[0]

/** How many days the charts of a page show, as the address has it. */
export function useSpan(): number {
  const [chosen] = useSearchValue('days')
  return spans.find((span) => String(span) === chosen) ?? usual
}

export function SpanChoice(): ReactNode {
  const [, choose] = useSearchValue('days')
  const chosen = useSpan()
  return (
    <div className="button-row" role="group" aria-label="Days">
      {spans.map((span) => (
        <button
          key={span}
          type="button"
          className="button small"
          aria-pressed={span === chosen}
          onClick={() => choose(span === usual ? '' : String(span))}
        >
          {span} days
        </button>
      ))}
    </div>
  )
}
