import type { ReactNode } from 'react'
import { Component } from 'react'
import { Button, Icon } from './controls.tsx'

interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
}

export function SuccessState({ title, children }: EmptyStateProps): ReactNode {
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

export function EmptyState({ title, children }: EmptyStateProps): ReactNode {
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

export function ErrorState({
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
      {onRetry !== undefined && <Button onClick={onRetry}>Retry</Button>}
    </div>
  )
}

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
  readonly what: string
  readonly hint: string
  readonly children: ReactNode
}

/** Give it a `key` that changes with the content, so that the error does not outlive it. */
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
            <h1 className="title">{what} stopped working</h1>
            <p>{hint}</p>
          </div>
        </div>
        <div className="button-row broken-actions">
          <Button look="strong" onClick={() => location.reload()}>
            Reload page
          </Button>
          <Button onClick={() => this.setState({ error: undefined })}>Retry</Button>
        </div>
        <details className="broken-details">
          <summary>Error details</summary>
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
