import type { ReactNode } from 'react'
import { CodeView } from '../../kit/code.tsx'
import { Icon } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { editorLink, readEditorUrl } from '../editor-link.ts'

const editorUrl = readEditorUrl(document, location.hostname)

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
            {editorUrl !== undefined && (
              <a className="button small" href={editorLink(editorUrl, text)} target="_blank" rel="noreferrer noopener">
                Open in editor <Icon name="external" size={13} />
                <span className="visually-hidden"> (opens in a new tab)</span>
              </a>
            )}
          </header>
          <CodeView code={text} label="script" />
        </>
      )}
    </section>
  )
}
