import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Icon } from '../kit/icon.tsx'
import { lazyPart } from '../kit/lazy-part.ts'
import type { Task } from './task.ts'

/** The editor is half of the page: it comes after the rest of it. */
const SqlEditor = lazyPart(async () => (await import('./sql-editor.tsx')).SqlEditor, { name: 'SqlEditor' })

/** Where the command key is what the control key is elsewhere. */
const isOfApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

export interface SqlPanelProps {
  readonly sql: string
  readonly task: Task
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

/** The statement, as the model wrote it or as one wishes it, and what runs it. */
export function SqlPanel({ sql, task: { state, cancel }, onChange, onRun }: SqlPanelProps): ReactNode {
  const isRunning = state.is === 'busy' && state.work.kind === 'run'
  return (
    <section className="panel" aria-labelledby="sql-title">
      <header>
        <h2 id="sql-title">SQL</h2>
        {sql !== '' && <CopyButton text={sql} what="the SQL" />}
        <div className="button-row end">
          <span className="soft wide-only">{isOfApple ? '⌘ Enter' : 'Ctrl+Enter'}</span>
          {/* Beside what started it, not in its place: whoever clicks twice shall not cancel. */}
          {isRunning && (
            <Button onClick={cancel}>
              <Icon name="cross" size={14} /> Cancel
            </Button>
          )}
          <Button look="strong" disabled={sql.trim() === '' || state.is === 'busy'} onClick={onRun}>
            <Icon name="play" size={14} /> Run
          </Button>
        </div>
      </header>
      <Suspense fallback={<div className="sql-editor coming" role="status" aria-label="Loading the editor" />}>
        <SqlEditor label="SQL" value={sql} onChange={onChange} onRun={onRun} />
      </Suspense>
    </section>
  )
}
