import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
}

/** Says that there is nothing, where that is good news. */
export function GoodNews({ title, children }: EmptyStateProps): ReactNode {
  return (
    <div className="state good">
      <Icon name="check" size={20} />
      <div>
        <p className="title">{title}</p>
        {children !== undefined && <p>{children}</p>}
      </div>
    </div>
  )
}

/** Says that there is nothing, and what would have to happen for something to be there. */
export function NothingHere({ title, children }: EmptyStateProps): ReactNode {
  return (
    <div className="state">
      <Icon name="wait" size={20} />
      <div>
        <p className="title">{title}</p>
        {children !== undefined && <p>{children}</p>}
      </div>
    </div>
  )
}

/** Says why something cannot be shown, and offers to try again. */
export function Failure({
  title,
  detail,
  onRetry,
}: {
  readonly title: string
  readonly detail: string
  readonly onRetry?: () => void
}): ReactNode {
  return (
    <div className="state bad" role="alert">
      <Icon name="alert" size={20} />
      <div>
        <p className="title">{title}</p>
        <p>{detail}</p>
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Keeps the place of something that is on its way. */
export function Loading({ rows = 3, label }: { readonly rows?: number; readonly label: string }): ReactNode {
  return (
    <div role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div className="state" key={i} aria-hidden="true">
          <span className="skeleton" style={{ width: `${60 - 11 * (i % 4)}%` }} />
        </div>
      ))}
    </div>
  )
}
