import type { ReactNode } from 'react'
import { Component } from 'react'
import { Button, Icon } from './controls.tsx'

interface EmptyStateProps {
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

interface ErrorBoundaryProps {
  /** What broke, as people call it: `This page`. */
  readonly what: string
  /** What is not affected by it, and what else can be done: a sentence or two. */
  readonly hint: string
  readonly children: ReactNode
}

/**
 * Keeps what goes wrong in one part from taking all of the page away: it says so (and React tells the console), and
 * offers to show the part again or to load the page anew. Give it a `key` that changes with what is shown, so that
 * another part is not hidden by the mistake of this one.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(thrown: unknown): { readonly error: Error } {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }

  override render(): ReactNode {
    const { error } = this.state
    const { what, hint, children } = this.props
    if (error === undefined) return children
    return (
      <section className="panel broken" role="alert">
        <div className="state bad">
          <Icon name="alert" size={20} />
          <div>
            <h1 className="title">{what} broke</h1>
            <p>{hint}</p>
          </div>
        </div>
        <div className="button-row broken-actions">
          <Button look="strong" onClick={() => location.reload()}>
            Load it anew
          </Button>
          <Button onClick={() => this.setState({ error: undefined })}>Try again</Button>
        </div>
        <details className="broken-details">
          <summary>What went wrong</summary>
          <p>
            <code>
              {error.name}: {error.message}
            </code>
          </p>
        </details>
      </section>
    )
  }
}
