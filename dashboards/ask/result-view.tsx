import { useId, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { formatCount } from '../kit/formats.ts'
import { Icon } from '../kit/icon.tsx'
import { NothingHere } from '../kit/state.tsx'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { chartChoice } from './chart-choice.ts'
import type { SqlResult } from './contract.ts'
import { filterRows } from './filter-rows.ts'
import { KeepButton } from './keep-button.tsx'
import { ResultChart } from './result-chart.tsx'
import { ResultExports } from './result-exports.tsx'
import { ResultRows } from './result-rows.tsx'
import { resultTable } from './result-table.ts'
import { sortRows } from './sort-rows.ts'
import type { Order } from './sort-rows.ts'
import type { Work } from './task.ts'

type View = 'table' | 'chart'

/** An answer: how much it is, its rows in the order and with the text that one wishes, and its picture where there can be one. */
export function ResultView({ work, result }: { readonly work: Work; readonly result: SqlResult }): ReactNode {
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
            ? `There are more rows, and an answer cannot be larger. Select fewer columns, or parts of long values with left().`
            : `There are more rows than these ${count}. Count or sum them in the SQL, or narrow it with WHERE.`}
        </p>
      )}
      <div id={id} {...(choice === undefined ? {} : { role: 'tabpanel', 'aria-labelledby': tabId(id, view) })}>
        {view === 'chart' && choice !== undefined ? (
          <ResultChart table={table} choice={choice} />
        ) : table.columns.length === 0 ? (
          <NothingHere title="No columns">The SQL names nothing that could be shown.</NothingHere>
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
              <NothingHere title={table.rows.length === 0 ? 'No rows' : 'No row has this text'}>
                {table.rows.length === 0 ? 'The SQL ran, and nothing fits it.' : 'Another text may be in some.'}
              </NothingHere>
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
