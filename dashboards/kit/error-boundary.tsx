import { Component } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface ErrorBoundaryProps {
  /** What broke, as people call it: `This page`. */
  readonly what: string
  /** What is not affected by it, and what else can be done: a sentence or two. */
  readonly hint: string
  readonly children: ReactNode
}

/**
 * Keeps what goes wrong in one part from taking all of the page away: it says so (and React tells the console), and offers to show the part again or to load the page anew. Give it a
 * `key` that changes with what is shown, so that another part is not hidden by the mistake of this one.
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
