import { useEffect, useRef, useId, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { formatCount } from '../kit/formats.ts'
import { ErrorState, Loading, EmptyState } from '../kit/state.tsx'
import type { Task, TaskState, Work } from './task.ts'
import { useElapsed } from '../kit/time.tsx'
import { Button, Icon } from '../kit/controls.tsx'
import { isNumberType, escapeInvisible, toCsv, toTabSeparated } from '../kit/result-table.ts'
import { CopyButton, useToast } from '../kit/toast.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { download } from '../kit/browser.ts'
import type { ResultTable } from '../kit/result-table.ts'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { TimeChart } from '../kit/time-chart.tsx'
import { api, queryClient, queryKeys } from './api.ts'
import { problemText } from '../kit/api.ts'
import { chartChoice, chartPoints } from './chart-choice.ts'
import type { ChartChoice } from './chart-choice.ts'
import type { SqlResult } from './draft.ts'
import { filterRows, sortRows } from './rows.ts'
import { ResultRows } from './result-rows.tsx'
import type { Order } from './rows.ts'

/** What came of the question or of the statement, or how far it is. It comes into sight when it is there. */
export function ResultPanel({ task: { state, start } }: { readonly task: Task }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const { is } = state
  useEffect(() => {
    if (is === 'done' || is === 'failed') place.current?.scrollIntoView({ block: 'nearest' })
  }, [is])
  return (
    <div ref={place} className="result-place">
      {/* Screen readers tell of changes in what was there before. */}
      <p className="visually-hidden" role="status">
        {announcement(state)}
      </p>
      {is === 'done' ? (
        <ResultView key={state.at} work={state.work} result={state.result} />
      ) : (
        <section className="panel alone" aria-label="Result" aria-busy={is === 'busy'}>
          {is === 'idle' && (
            <EmptyState title="No result yet">
              Ask a question, or write SQL and run it. Nothing can be changed by it.
            </EmptyState>
          )}
          {is === 'written' && <EmptyState title="The SQL is written">Look at it, change it, and run it.</EmptyState>}
          {is === 'cancelled' && <EmptyState title="Cancelled">What was under way was stopped.</EmptyState>}
          {is === 'busy' && <Busy key={state.since} work={state.work} since={state.since} />}
          {is === 'locked' && <EmptyState title="A token is wanted">Enter it, and this goes on.</EmptyState>}
          {is === 'failed' && (
            <ErrorState
              title={state.title}
              detail={state.detail}
              {...(state.mayPass ? { onRetry: () => start(state.work) } : {})}
            />
          )}
        </section>
      )}
    </div>
  )
}

function announcement(state: TaskState): string {
  if (state.is === 'done') return `The result has ${formatCount(state.result.row_count, 'row')}.`
  return state.is === 'written' ? 'The SQL is written.' : ''
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

/** A result: row count, sorted and filtered rows, and a chart where the columns allow one. */
function ResultView({ work, result }: { readonly work: Work; readonly result: SqlResult }): ReactNode {
  const [view, setView] = useState<View>('table')
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order>()
  const id = useId()
  const table = useMemo(() => resultTable(result), [result])
  const choice = useMemo(() => chartChoice(table), [table])
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
          {tries > 1 && `, after ${tries} tries`}
        </span>
        {choice !== undefined && (
          <Tabs
            label="Ways to see the result"
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
      {result.truncated && (
        <p className="cut" role="note">
          <Icon name="alert" />
          {result.truncated_by === 'bytes'
            ? 'There are more rows, and an answer cannot be larger. Select fewer columns, or parts of long values ' +
              'with left().'
            : `There are more rows than these ${count}. Count or sum them in the SQL, or narrow it with WHERE.`}
        </p>
      )}
      <div id={id} {...(choice === undefined ? {} : { role: 'tabpanel', 'aria-labelledby': tabId(id, view) })}>
        {view === 'chart' && choice !== undefined ? (
          <ResultChart table={table} choice={choice} />
        ) : table.columns.length === 0 ? (
          <EmptyState title="No columns">The SQL names nothing that could be shown.</EmptyState>
        ) : (
          <>
            {table.rows.length > 0 && (
              <div className="result-tools">
                <label className="filter">
                  <span className="visually-hidden">Filter the rows</span>
                  <input
                    className="input"
                    type="search"
                    placeholder="Filter the rows"
                    value={filter}
                    onChange={(event) => setFilter(event.target.value)}
                  />
                </label>
                <ResultExports table={shown} />
              </div>
            )}
            <ResultRows table={shown} order={order} onOrder={setOrder} />
            {shown.rows.length === 0 && (
              <EmptyState title={table.rows.length === 0 ? 'No rows' : 'No row has this text'}>
                {table.rows.length === 0 ? 'The SQL ran, and nothing fits it.' : 'Another text may be in some.'}
              </EmptyState>
            )}
          </>
        )}
      </div>
    </section>
  )
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** The rows of an answer as a table. */
function resultTable({ columns, column_types: types, results }: SqlResult): ResultTable {
  return {
    columns: columns.map((name, i) => {
      const type = types[i] ?? 'text'
      return { name, type, isNumber: isNumberType(type) }
    }),
    rows: results.map((row) => columns.map((name) => row[name] ?? null)),
  }
}

/** The rows as they are shown, to take along. */
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

/** The picture of a result: one of its columns of numbers over the column that names the rows. */
function ResultChart({ table, choice }: { readonly table: ResultTable; readonly choice: ChartChoice }): ReactNode {
  const [value, setValue] = useState(choice.values[0] ?? 0)
  const points = useMemo(() => chartPoints(table, choice, value), [table, choice, value])
  const nameOf = (column: number): string => table.columns[column]?.name ?? ''
  return (
    <div className="result-chart">
      {choice.values.length > 1 && (
        <label className="chart-column">
          <span className="soft">Column</span>
          <select className="input" value={value} onChange={(event) => setValue(Number(event.target.value))}>
            {choice.values.map((column) => (
              <option key={column} value={column}>
                {nameOf(column)}
              </option>
            ))}
          </select>
        </label>
      )}
      <TimeChart
        label={`${nameOf(value)} by ${nameOf(choice.names)}`}
        points={points}
        shape={choice.shape}
        height={280}
      />
    </div>
  )
}

/** Saves the question and its SQL as an example for the model, after the user confirmed the pair. */
function KeepButton({ work, result }: { readonly work: Work; readonly result: SqlResult }): ReactNode {
  const [isAsking, setIsAsking] = useState(false)
  const showToast = useToast()
  const { question } = work
  const keeping = useMutation({
    mutationFn: (asked: string) => api.keep({ target: work.target, question: asked, sql: result.sql }),
    onSuccess: () => {
      setIsAsking(false)
      showToast('Kept as an example.')
      void queryClient.invalidateQueries({ queryKey: queryKeys.kept })
    },
  })
  if (question === undefined || question.trim() === '') return null
  return (
    <span className="end">
      <Button isSmall disabled={keeping.isSuccess} onClick={() => setIsAsking(true)}>
        {keeping.isSuccess ? 'Kept' : 'Keep as an example'}
      </Button>
      {isAsking && (
        <Dialog
          title="Does this SQL answer the question?"
          action="Yes, keep it"
          isBusy={keeping.isPending}
          error={keeping.error === null ? undefined : problemText(keeping.error)}
          onSubmit={() => keeping.mutate(question.trim())}
          onClose={() => setIsAsking(false)}
        >
          <p className="wrap">{escapeInvisible(question)}</p>
          <pre className="sql-text" tabIndex={0}>
            {escapeInvisible(result.sql)}
          </pre>
          <p className="soft">
            It is shown to the model with questions like this one, for all who use this service, until somebody forgets
            it.
          </p>
        </Dialog>
      )}
    </span>
  )
}
