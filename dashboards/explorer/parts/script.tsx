import type { ReactNode } from 'react'
import { applicationUrls } from '../../kit/application-urls.ts'
import { CodeView } from '../../kit/code.tsx'
import { Icon } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'

interface ScriptPanelProps {
  /** Empty if it is not stored. */
  readonly text: string
  readonly title: ReactNode
}

export function ScriptPanel({ text, title }: ScriptPanelProps): ReactNode {
  return (
    <section className="panel" aria-label="Script">
      {text === '' ? (
        <EmptyState title="No script">The script of this transaction is not stored.</EmptyState>
      ) : (
        <>
          <header>
            <h2>{title}</h2>
            <OpenInEditor code={text} />
          </header>
          <CodeView code={text} label="script" />
        </>
      )}
    </section>
  )
}

/** The fragment stays in the browser, so that servers do not limit its length. Nothing if no editor runs. */
export function OpenInEditor({ code }: { readonly code: string }): ReactNode {
  const { editor } = applicationUrls()
  if (editor === undefined) return null
  return (
    <a
      className="button small"
      href={`${editor}#code=${encodeURIComponent(code)}`}
      target="_blank"
      rel="noreferrer noopener"
    >
      Open in editor <Icon name="external" size={13} />
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}
