import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Icon } from '../kit/icon.tsx'
import type { Task } from './task.ts'

/** The editor is half of the page: it comes after the rest of it. */
const SqlEditor = lazy(async () => ({ default: (await import('./sql-editor.tsx')).SqlEditor }))

export interface SqlPanelProps {
  readonly sql: string
  readonly task: Task
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

/** The statement, as the model wrote it or as one wishes it, and what runs it. */
export function SqlPanel({ sql, task: { state, cancel }, onChange, onRun }: SqlPanelProps): ReactNode {
  const isBusy = state.is === 'busy'
  return (
    <section className="panel" aria-labelledby="sql-title">
      <header>
        <h2 id="sql-title">SQL</h2>
        {sql !== '' && <CopyButton text={sql} what="the SQL" />}
        <div className="button-row end">
          <span className="soft wide-only">Ctrl+Enter</span>
          {isBusy ? (
            <Button onClick={cancel}>
              <Icon name="cross" size={14} /> Cancel
            </Button>
          ) : (
            <Button look="strong" disabled={sql.trim() === ''} onClick={onRun}>
              <Icon name="play" size={14} /> Run
            </Button>
          )}
        </div>
      </header>
      <Suspense fallback={<div className="sql-editor coming" role="status" aria-label="Loading the editor" />}>
        <SqlEditor label="SQL" value={sql} onChange={onChange} onRun={onRun} />
      </Suspense>
    </section>
  )
}
