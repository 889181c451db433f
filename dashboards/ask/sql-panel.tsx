import { Suspense, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { useMutation } from '@tanstack/react-query'
import { problemText } from '../kit/api.ts'
import { Button, Icon } from '../kit/controls.tsx'
import { lazyPart } from '../kit/lazy-part.ts'
import { escapeInvisible } from '../kit/result-table.ts'
import { CopyButton, useToast } from '../kit/toast.tsx'
import { AlertDialog } from './alert-dialog.tsx'
import { api, useHealth, useSchema } from './api.ts'
import type { SavedQuery } from './answers.gen.ts'
import { writeDraft } from './draft.ts'
import type { Parameter, SelectedQuery } from './draft.ts'
import { ParameterFields } from './parameters.tsx'
import { SaveQueryDialog } from './saved-queries.tsx'
import type { SqlEditorHandle } from './sql-editor.tsx'
import type { Task } from './task.ts'

const SqlEditor = lazyPart(async () => (await import('./sql-editor.tsx')).SqlEditor, { name: 'SqlEditor' })

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface SqlPanelProps {
  readonly selected: SelectedQuery
  /** Name of the open saved query. */
  readonly queryName: string
  readonly task: Task
  readonly editor: RefObject<SqlEditorHandle | null>
  readonly onChange: (sql: string) => void
  readonly onParameter: (parameter: Parameter) => void
  readonly onSaved: (query: SavedQuery) => void
  readonly onRun: () => void
}

export function SqlPanel(props: SqlPanelProps): ReactNode {
  const { selected, queryName, task, editor, onChange, onParameter, onSaved, onRun } = props
  const { target, question, sql, parameters } = selected
  const [isSaving, setIsSaving] = useState(false)
  const [isAlerting, setIsAlerting] = useState(false)
  const { state, cancel } = task
  const { data: schema } = useSchema(target)
  const isRunning = state.is === 'busy' && state.work.kind === 'run'
  const explaining = useMutation({
    mutationFn: () => api.explainSql(target, sql, question.trim()),
  })
  const { data: health } = useHealth()
  const isWithoutModel = health?.model === null || health?.model.is_scripted === true
  return (
    <section className="panel" aria-labelledby="sql-title">
      <header>
        <h2 id="sql-title">SQL</h2>
        {queryName !== '' && <span className="soft query-name">{escapeInvisible(queryName)}</span>}
        {sql !== '' && <CopyButton text={sql} what="the SQL" />}
        <div className="button-row end">
          <span className="soft wide-only">{isMac ? '⌘ Enter' : 'Ctrl+Enter'}</span>
          {/* Not in place of the Run button, so that a double click does not cancel. */}
          {isRunning && (
            <Button onClick={cancel}>
              <Icon name="cross" size={14} /> Cancel
            </Button>
          )}
          <ShareButton selected={selected} />
          <Button disabled={sql.trim() === ''} onClick={() => setIsSaving(true)}>
            Save
          </Button>
          <Button disabled={sql.trim() === ''} onClick={() => setIsAlerting(true)}>
            Create alert
          </Button>
          <Button disabled={sql.trim() === '' || explaining.isPending} onClick={() => explaining.mutate()}>
            {explaining.isPending ? 'Explaining…' : 'Explain'}
          </Button>
          <Button look="strong" disabled={sql.trim() === '' || state.is === 'busy'} onClick={onRun}>
            <Icon name="play" size={14} /> Run
          </Button>
        </div>
      </header>
      <Suspense fallback={<div className="sql-editor coming" role="status" aria-label="Loading the SQL editor…" />}>
        <SqlEditor label="SQL" value={sql} schema={schema} handle={editor} onChange={onChange} onRun={onRun} />
      </Suspense>
      <ParameterFields parameters={parameters} onChange={onParameter} onRun={onRun} />
      {isAlerting && <AlertDialog draft={{ target, question, sql, parameters }} onClose={() => setIsAlerting(false)} />}
      {isSaving && (
        <SaveQueryDialog query={selected} name={queryName} onSaved={onSaved} onClose={() => setIsSaving(false)} />
      )}
      <div role="status">
        {explaining.isSuccess && explaining.data.sql === sql && (
          <Explanation title="Explanation" onClose={explaining.reset}>
            {explaining.data.explanation}
          </Explanation>
        )}
        {explaining.isError && (
          <Explanation title="Could not explain the SQL" onClose={explaining.reset}>
            {isWithoutModel
              ? `Explanations need a model. ${health.remedy ?? 'Set LLM_API_KEY and restart the service.'}`
              : problemText(explaining.error)}
          </Explanation>
        )}
      </div>
    </section>
  )
}

function ShareButton({ selected }: { readonly selected: SelectedQuery }): ReactNode {
  const showToast = useToast()
  const share = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(`${location.origin}${location.pathname}${writeDraft(selected)}`)
      showToast('Link copied. It contains the question, the SQL and the parameters.')
    } catch (error) {
      // The clipboard is missing without HTTPS and may be denied.
      if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error
      showToast('Could not copy the link: copy the address of this page.', 'bad')
    }
  }
  return (
    <Button disabled={selected.sql.trim() === ''} onClick={() => void share()}>
      Share
    </Button>
  )
}

interface ExplanationProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: string
}

function Explanation({ title, onClose, children }: ExplanationProps): ReactNode {
  return (
    <section className="explanation" aria-label={title}>
      <Button look="plain" isSmall isIcon aria-label={`Close the ${title.toLowerCase()}`} onClick={onClose}>
        <Icon name="cross" size={14} />
      </Button>
      <h3>{title}</h3>
      <p>{escapeInvisible(children)}</p>
    </section>
  )
}
