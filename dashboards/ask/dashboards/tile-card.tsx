import type { UseQueryResult } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem, problemText } from '../../kit/api.ts'
import { Button, Icon } from '../../kit/controls.tsx'
import { cellText, escapeInvisible } from '../../kit/result-table.ts'
import { EmptyState, Loading } from '../../kit/state.tsx'
import { Ago } from '../../kit/time.tsx'
import type { TileResult } from '../api.ts'
import { chartOf } from '../chart-choice.ts'
import { ResultRows } from '../result-rows.tsx'
import { resultTable, sortRows } from '../rows.ts'
import type { Order } from '../rows.ts'
import { SeriesChart } from '../series-chart.tsx'
import { formatValue } from '../value-formats.ts'

interface TileCardProps {
  readonly title: string
  readonly width: number
  readonly result?: UseQueryResult<TileResult> | undefined
  /** Controls of the edit mode. */
  readonly tools?: ReactNode
  readonly children: ReactNode
}

export function TileCard({ title, width, result, tools, children }: TileCardProps): ReactNode {
  const id = useId()
  const isLate = result?.data !== undefined && result.error !== null
  return (
    <section className={`panel tile w${width}`} aria-labelledby={id}>
      <header>
        <h2 id={id} className="wrap">
          {escapeInvisible(title)}
        </h2>
        {result?.data !== undefined && (
          <span className="note end">
            {isLate && 'Refresh failed · '}
            <Ago at={result.data.computed_at} />
          </span>
        )}
      </header>
      {tools}
      {children}
    </section>
  )
}

interface TileBodyProps {
  readonly title: string
  readonly view: 'table' | 'chart'
  readonly result: UseQueryResult<TileResult>
}

export function TileBody({ title, view, result }: TileBodyProps): ReactNode {
  const { data, error } = result
  if (error !== null && (data === undefined || isLasting(error)))
    return (
      <div className="state bad">
        <Icon name="alert" size={20} />
        <div>
          <p className="title">{isDeleted(error) ? 'The saved query was deleted' : 'No result'}</p>
          <p>
            {isDeleted(error) ? 'Edit the dashboard: choose another query or remove the tile.' : problemText(error)}
          </p>
        </div>
        {!isLasting(error) && (
          <Button isSmall onClick={() => void result.refetch()}>
            Retry
          </Button>
        )}
      </div>
    )
  if (data === undefined) return <Loading rows={4} label={`Loading ${title}…`} />
  return <Rows title={title} view={view} data={data} />
}

/** Another attempt has the same outcome. */
function isLasting(error: Error): boolean {
  return error instanceof ApiProblem && [400, 404, 409].includes(error.status)
}

function isDeleted(error: Error): boolean {
  return error instanceof ApiProblem && error.code === 'query-deleted'
}

interface RowsProps {
  readonly title: string
  readonly view: 'table' | 'chart'
  readonly data: TileResult
}

function Rows({ title, view, data }: RowsProps): ReactNode {
  const [order, setOrder] = useState<Order>()
  const table = useMemo(() => resultTable(data), [data])
  const chart = useMemo(() => (view === 'chart' ? chartOf(table) : undefined), [view, table])
  const shown = useMemo(() => {
    const type = order === undefined ? undefined : table.columns[order.column]?.type
    return order === undefined || type === undefined ? table : { ...table, rows: sortRows(table.rows, order, type) }
  }, [table, order])
  const [column] = table.columns
  if (table.rows.length === 0 || column === undefined)
    return <EmptyState title="No rows">The query returned no rows.</EmptyState>
  if (chart !== undefined)
    return (
      <div className="result-chart">
        <SeriesChart chart={chart} />
      </div>
    )
  const value = table.rows[0]?.[0] ?? null
  const isSingle = table.rows.length === 1 && table.columns.length === 1 && cellText(value).length <= maxSingleLength
  if (isSingle)
    return (
      <p className="tile-value">
        <bdi>
          {value === null ? 'null' : escapeInvisible(formatValue(column.name, column.type, cellText(value), true))}
        </bdi>
        <span className="note">{escapeInvisible(column.name)}</span>
      </p>
    )
  return (
    <>
      {view === 'chart' && <p className="note tile-note">No chart: it needs at least two rows with numbers.</p>}
      {data.truncated && <p className="note tile-note">Only the first {data.row_count} rows.</p>}
      <ResultRows label={`Rows of ${title}`} table={shown} order={order} onOrder={setOrder} />
    </>
  )
}

/** Characters; longer values wrap in a table. */
const maxSingleLength = 40
