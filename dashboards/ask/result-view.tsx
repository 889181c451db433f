import { useEffect, useRef, useId, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { formatCount } from '../kit/formats.ts'
import { ErrorState, Loading, EmptyState } from '../kit/state.tsx'
import type { Task, TaskState, Work } from './task.ts'
import { useElapsed } from '../kit/time.tsx'
import { Button, Form, Icon } from '../kit/controls.tsx'
import { escapeInvisible, toCsv, toTabSeparated } from '../kit/result-table.ts'
import { CopyButton, useToast } from '../kit/toast.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { download } from '../kit/browser.ts'
import type { ResultTable } from '../kit/result-table.ts'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { api, queryClient, queryKeys, useHealth } from './api.ts'
import { problemText } from '../kit/api.ts'
import { chartOf } from './chart-choice.ts'
import type { SqlResult } from './draft.ts'
import { ExportPanel } from './export-panel.tsx'
import { earlierAnswer } from './follow-up.ts'
import { filterRows, resultTable, sortRows } from './rows.ts'
import { ResultRows } from './result-rows.tsx'
import { SeriesChart } from './series-chart.tsx'
import type { Order } from './rows.ts'

export function ResultPanel({ task: { state, start } }: { readonly task: Task }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const { is } = state
  useEffect(() => {
    if (is === 'done' || is === 'failed') place.current?.scrollIntoView({ block: 'nearest' })
  }, [is])
  return (
    <div ref={place} className="result-place">
      {/* Screen readers announce changes of existing elements only. */}
      <p className="visually-hidden" role="status">
        {announcement(state)}
      </p>
      {is === 'done' ? (
        <ResultView key={state.at} work={state.work} result={state.result} onStart={start} />
      ) : (
        <section className="panel alone" aria-label="Result" aria-busy={is === 'busy'}>
          {is === 'idle' && (
            <EmptyState title="No result yet">
              Ask a question, or write SQL and run it. Queries are read-only.
            </EmptyState>
          )}
          {is === 'written' && <EmptyState title="SQL is ready">Review the SQL, then run it.</EmptyState>}
          {is === 'cancelled' && <EmptyState title="Cancelled">The request was cancelled.</EmptyState>}
          {is === 'busy' && <Busy key={state.since} work={state.work} since={state.since} />}
          {is === 'locked' && <EmptyState title="Authentication required">Enter a token to continue.</EmptyState>}
          {is === 'failed' && (
            <ErrorState
              title={state.title}
              detail={state.detail}
              {...(state.isRetryable ? { onRetry: () => start(state.work) } : {})}
            />
          )}
        </section>
      )}
    </div>
  )
}

function announcement(state: TaskState): string {
  if (state.is === 'done') return `The result has ${formatCount(state.result.row_count, 'row')}.`
  return state.is === 'written' ? 'SQL is ready.' : ''
}

function Busy({ work, since }: { readonly work: Work; readonly since: number }): ReactNode {
  const elapsed = useElapsed(since)
  const what = { ask: 'Writing and running the SQL', generate: 'Writing the SQL', run: 'Running the SQL' }[work.kind]
  return (
    <>
      <p className="busy-line">
        {what}…{' '}
        <span className="soft" aria-hidden="true">
          {elapsed} s
        </span>
      </p>
      <Loading rows={4} label={what} />
    </>
  )
}

type View = 'table' | 'chart'

interface ResultViewProps {
  readonly work: Work
  readonly result: SqlResult
  readonly onStart: (work: Work) => void
}

function ResultView({ work, result, onStart }: ResultViewProps): ReactNode {
  const [view, setView] = useState<View>('table')
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order>()
  const id = useId()
  const table = useMemo(() => resultTable(result), [result])
  const chart = useMemo(() => chartOf(table), [table])
  const shown = useMemo(() => {
    const rows = filterRows(table.rows, filter)
    const type = order === undefined ? undefined : table.columns[order.column]?.type
    return { ...table, rows: order === undefined || type === undefined ? rows : sortRows(rows, order, type) }
  }, [table, filter, order])
  const tries = result.attempts?.length ?? 1
  const count = formatCount(result.row_count, 'row')
  const filtered = shown.rows.length === table.rows.length ? '' : `${formatCount(shown.rows.length, 'row')} of `
  return (
    <section className="panel" aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>Result</h2>
        <span className="soft">
          {filtered}
          {count}, {formatMs(result.duration_ms)}
          {tries > 1 && `, ${tries} attempts`}
        </span>
        {chart !== undefined && (
          <Tabs
            label="Result view"
            panelId={id}
            selected={view}
            onSelect={setView}
            tabs={[
              { name: 'table', label: 'Table' },
              { name: 'chart', label: 'Chart' },
            ]}
          />
        )}
        <KeepButton work={work} result={result} />
      </header>
      {work.kind === 'ask' && work.earlier !== undefined && (
        <p className="follow-up-note">Follow-up: {escapeInvisible(work.question)}</p>
      )}
      {result.truncated && (
        <p className="cut" role="note">
          <Icon name="alert" />
          {result.truncated_by === 'bytes'
            ? 'The result was cut at the size limit. Select fewer columns, or shorten long values with left().'
            : `The result was cut at ${count}. Aggregate in the SQL, or narrow it with WHERE.`}
        </p>
      )}
      {result.truncated && (
        <ExportPanel
          target={result.target}
          sql={result.sql}
          parameters={work.kind === 'run' ? (work.parameters ?? []) : []}
        />
      )}
      <div id={id} {...(chart === undefined ? {} : { role: 'tabpanel', 'aria-labelledby': tabId(id, view) })}>
        {view === 'chart' && chart !== undefined ? (
          <div className="result-chart">
            <SeriesChart chart={chart} />
          </div>
        ) : table.columns.length === 0 ? (
          <EmptyState title="No columns">The query returned no columns.</EmptyState>
        ) : (
          <>
            {table.rows.length > 0 && (
              <div className="result-tools">
                <label className="filter">
                  <span className="visually-hidden">Filter rows</span>
                  <input
                    className="input"
                    type="search"
                    placeholder="Filter rows"
                    value={filter}
                    onChange={(event) => setFilter(event.target.value)}
                  />
                </label>
                <ResultExports table={shown} />
              </div>
            )}
            <ResultRows table={shown} order={order} onOrder={setOrder} />
            {shown.rows.length === 0 && (
              <EmptyState title={table.rows.length === 0 ? 'No rows' : 'No matching rows'}>
                {table.rows.length === 0 ? 'The query returned no rows.' : 'Change the filter.'}
              </EmptyState>
            )}
          </>
        )}
      </div>
      <FollowUp work={work} result={result} onStart={onStart} />
    </section>
  )
}

function FollowUp({ work, result, onStart }: ResultViewProps): ReactNode {
  const { data: health } = useHealth()
  const [text, setText] = useState('')
  const id = useId()
  if (health?.model === undefined || health.model === null || health.model.is_scripted) return null
  const question = text.trim()
  const start = (): void => {
    if (question === '') return
    onStart({ kind: 'ask', target: result.target, question, earlier: earlierAnswer(work, result) })
  }
  return (
    <Form className="follow-up" onSubmit={start}>
      <label htmlFor={id} className="visually-hidden">
        Follow-up
      </label>
      <input
        id={id}
        className="input"
        maxLength={4000}
        placeholder="Refine this result: only the last 7 days, by token, …"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={question === ''}>
        Refine
      </Button>
    </Form>
  )
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function ResultExports({ table }: { readonly table: ResultTable }): ReactNode {
  return (
    <div className="button-row">
      <Button isSmall onClick={() => download('flowfarm.csv', 'text/csv;charset=utf-8', toCsv(table))}>
        <Icon name="leave" size={14} /> CSV
      </Button>
      <CopyButton text={() => toTabSeparated(table)} what="the table" />
    </div>
  )
}

function KeepButton({ work, result }: { readonly work: Work; readonly result: SqlResult }): ReactNode {
  const [isGenerating, setIsGenerating] = useState(false)
  const showToast = useToast()
  const question = work.kind === 'ask' && work.earlier !== undefined ? undefined : work.question
  const saving = useMutation({
    mutationFn: (text: string) => api.saveExample({ target: work.target, question: text, sql: result.sql }),
    onSuccess: () => {
      setIsGenerating(false)
      showToast('Saved as an example.')
      void queryClient.invalidateQueries({ queryKey: queryKeys.saved })
    },
  })
  if (question === undefined || question.trim() === '') return null
  return (
    <span className="end">
      <Button isSmall disabled={saving.isSuccess} onClick={() => setIsGenerating(true)}>
        {saving.isSuccess ? 'Saved' : 'Save as example'}
      </Button>
      {isGenerating && (
        <Dialog
          title="Does this SQL answer the question?"
          action="Save"
          isBusy={saving.isPending}
          error={saving.error === null ? undefined : problemText(saving.error)}
          onSubmit={() => saving.mutate(question.trim())}
          onClose={() => setIsGenerating(false)}
        >
          <p className="wrap">{escapeInvisible(question)}</p>
          <pre className="sql-text" tabIndex={0}>
            {escapeInvisible(result.sql)}
          </pre>
          <p className="soft">The model sees this example with similar questions of all users until it is deleted.</p>
        </Dialog>
      )}
    </span>
  )
}
