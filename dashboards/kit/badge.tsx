import type { ReactNode } from 'react'

/** What a colour means, on every page: done, under way, look at it some time, act now. */
export type Tone = 'neutral' | 'good' | 'busy' | 'warn' | 'bad'

export interface BadgeProps {
  readonly tone?: Tone
  readonly title?: string
  /** Makes it a button. */
  readonly onClick?: () => void
  readonly label?: string
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', title, onClick, label, children }: BadgeProps): ReactNode {
  if (onClick === undefined)
    return (
      <span className={`badge ${tone}`} title={title}>
        {children}
      </span>
    )
  return (
    <button type="button" className={`badge ${tone}`} title={title} aria-label={label} onClick={onClick}>
      {children}
    </button>
  )
}
