import { useState } from 'react'
import type { ReactNode } from 'react'
import { Badge, Button } from '../../kit/controls.tsx'
import { formatCount, formatNumber, formatTime } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import { EmptyState } from '../../kit/state.tsx'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import { Age } from '../../kit/time.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { itemsOf, useApi, useList } from '../api.ts'
import { useOwnRows } from '../own-rows.ts'
import type { PageProps } from '../pages.ts'
import { dayFilter, useFilterValues, useSorting } from '../parts/filters.tsx'
import type { Filter, Order } from '../parts/filters.tsx'
import { ItemResult, TableList } from '../parts/lists.tsx'
import { Detail, DetailPanel, PageTitle } from '../parts/page.tsx'
import { AccountLink, Amount, BlockLink, ContractLink, NoValue, TransactionLink, ValueTree } from '../parts/values.tsx'
import { formatAmount, paths } from '../text.ts'
import { askUrl, useOwnWorker, WorkerProblems } from './own-workers.tsx'
import type { OwnWorker } from './own-workers.tsx'

type OwnTable = OwnWorker['tables'][number]
type OwnColumn = OwnTable['columns'][number]
type Row = Readonly<Record<string, unknown>>

interface TableProps {
  readonly worker: OwnWorker
  readonly table: OwnTable
}

export function OwnTablePage({ values: { worker: workerName = '', table: name = '' } }: PageProps): ReactNode {
  const query = useOwnWorker(workerName)
  return (
    <>
      <PageTitle
        kind="Table"
        title={`${workerName}.${name}`}
        aside={<Link to={paths.ownWorker(workerName)}>Worker {workerName}</Link>}
      />
      <ItemResult query={query} what="this table" rows={6}>
        {(worker) => {
          const table = worker.tables.find((one) => one.name === name)
          return table === undefined ? (
            <UnknownTable worker={worker} />
          ) : (
            <OwnTableDetails key={`${worker.version}`} worker={worker} table={table} />
          )
        }}
      </ItemResult>
    </>
  )
}

function UnknownTable({ worker: { name } }: { readonly worker: OwnWorker }): ReactNode {
  return (
    <section className="panel" aria-label="Table">
      <EmptyState title="Could not find this table">
        Worker {name} has no such table. <Link to={paths.ownWorker(name)}>All tables of {name}</Link>
      </EmptyState>
    </section>
  )
}

function OwnTableDetails({ worker, table }: TableProps): ReactNode {
  const statement = `select * from ${worker.schema}.${table.name}${
    table.kind === 'events' ? ' order by block_height desc' : ''
  } limit 20`
  const ask = askUrl(statement)
  return (
    <>
      {table.comment !== '' && <p className="lead">{table.comment}</p>}
      <WorkerProblems worker={worker} />
      <DetailPanel label="Table">
        <Detail name="Contract">
          <ContractLink identifier={worker.contract} />
        </Detail>
        {table.row_estimate !== null && (
          <Detail name="Rows">
            {formatNumber(table.row_estimate)} <span className="soft">(estimate)</span>
            {table.of !== null && (
              <>
                {' '}
                from <Link to={paths.ownTable(worker.name, table.of)}>{table.of}</Link>
              </>
            )}
          </Detail>
        )}
        {!worker.is_caught_up && (
          <Detail name="Progress">
            {formatNumber(worker.derived_blocks)} of {formatNumber(worker.stored_blocks)} blocks
          </Detail>
        )}
        <Detail name="SQL">
          <code className="wrap">{statement}</code> <CopyButton text={statement} what="SQL" />
          {ask !== undefined && (
            <>
              {' '}
              <a href={ask}>Open in Ask</a>
            </>
          )}
        </Detail>
        <Detail name="API">
          <a href={table.path}>{table.path}</a>,{' '}
          <a href={`${table.path}?format=csv`}>{table.kind === 'view' ? 'first 1,000 rows' : 'all rows'} as CSV</a>
        </Detail>
      </DetailPanel>
      {table.kind === 'events' && <DayCharts worker={worker} table={table} />}
      <Rows worker={worker} table={table} />
    </>
  )
}

function isNumeric({ type }: OwnColumn): boolean {
  return type === 'integer' || type === 'bigint' || type === 'numeric'
}

/** Such numbers are ids: without sums and thousands separators. */
function isId({ name }: OwnColumn): boolean {
  return /(^|_)(id|uuid|index|serial|height)$/.test(name)
}

/** The name cannot be that of a column filter. */
const sumParameter = 'chart.sum'

function DayCharts({ worker, table }: TableProps): ReactNode {
  const numbers = table.columns.filter((column) => isNumeric(column) && !column.is_key && !isId(column))
  const [chosen, choose] = useSearchValue(sumParameter)
  const column = (numbers.find(({ name }) => name === chosen) ?? numbers[0])?.name
  const path = '/own/{workerName}/{tableName}/daily'
  const query = useApi(path, { workerName: worker.name, tableName: table.name, column }, { keepsPrevious: true })
  const [found] = query.data?.data ?? []
  if (found === undefined || found.days.length === 0) return null
  const extent = found.is_cut
    ? `The newest ${formatNumber(found.rows)} rows by day (UTC). Older rows are not shown.`
    : `All ${formatCount(found.rows, 'row')} by day (UTC).`
  return (
    <>
      <div className="chart-grid">
        <section className="panel chart-panel" aria-label="Rows">
          <TimeChart
            label="Rows"
            shape="bars"
            isLastPartial
            points={found.days.map(({ day, count }) => ({ date: day, value: count, text: formatNumber(count) }))}
          />
        </section>
        {column !== undefined && (
          <section className="panel chart-panel" aria-label={`Sum of ${column}`}>
            <TimeChart
              label={`Sum of ${column}`}
              shape="bars"
              isLastPartial
              points={found.days.map(({ day, sum }) => ({
                date: day,
                value: Number(sum ?? 0),
                text: formatAmount(sum ?? '0'),
              }))}
            />
          </section>
        )}
      </div>
      <p className="soft chart-note">
        {extent}{' '}
        {numbers.length > 1 && (
          <label className="sort-select">
            Sum of{' '}
            <select className="input" value={column} onChange={({ target }) => choose(target.value)}>
              {numbers.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </p>
    </>
  )
}

function filtersOf({ kind, columns }: OwnTable): readonly Filter[] {
  const filters = columns.flatMap((column): Filter[] => {
    const { filter: name, name: label, type, comment } = column
    if (name === null) return []
    if (type === 'boolean') return [{ kind: 'choice', name, label, options: { true: 'Yes', false: 'No' } }]
    const hint = comment === '' ? `Value of ${label}` : comment
    const pattern = isNumeric(column) ? String.raw`\s*-?\d+(\.\d+)?\s*` : '.*'
    return [{ kind: 'text', name, label, hint, pattern }]
  })
  return kind === 'events' ? [...filters, dayFilter] : filters
}

function ordersOf({ kind, columns }: OwnTable): readonly [Order, ...Order[]] {
  if (kind === 'events') {
    return [
      { sort: 'newest', label: 'Newest' },
      { sort: 'oldest', label: 'Oldest', isAscending: true },
    ]
  }
  if (kind === 'view') return [{ sort: 'view', label: 'Order of the view' }]
  const key = columns.filter((column) => column.is_key).map(({ name }) => name)
  const ranked = columns.filter((column) => column.can_sort)
  return [
    ...ranked.map(({ name }): Order => ({ sort: name, label: `Highest ${name}` })),
    { sort: 'key', label: key.join(', '), isAscending: true },
  ] as unknown as readonly [Order, ...Order[]]
}

function Rows({ worker, table }: TableProps): ReactNode {
  const filters = filtersOf(table)
  const sorting = useSorting(ordersOf(table))
  const values = useFilterValues(filters)
  const isEvents = table.kind === 'events'
  const isView = table.kind === 'view'
  const list = useList('/own/{workerName}/{tableName}', {
    ...values,
    ...(isEvents || isView ? {} : { sort: sorting.order }),
    ...(isView ? {} : { order: sorting.isAscending ? 'asc' : 'desc' }),
    workerName: worker.name,
    tableName: table.name,
    limit: 25,
  })
  // Rows of views have no key.
  const positions = new Map(isView ? itemsOf(list).map((row, i) => [row, i]) : [])
  const isAtHead = isEvents && !sorting.isAscending && (values['to'] ?? '') === ''
  return (
    <TableList
      list={list}
      filters={filters}
      {...(isView ? {} : { sorting })}
      what={`rows of ${table.name}`}
      tools={isAtHead && <LiveRows table={`${worker.name}.${table.name}`} list={list} />}
      columns={columnsOf(table)}
      itemKey={(row) =>
        positions.get(row) ??
        table.columns.flatMap(({ name, is_key: isKey }) => (isKey ? [String(row[name])] : [])).join(' ')
      }
      emptyText={
        worker.is_caught_up
          ? 'Rows appear here when the contract emits the events of this table.'
          : 'No rows yet. The worker has not read all blocks.'
      }
    />
  )
}

interface LiveRowsProps {
  readonly table: string
  readonly list: ReturnType<typeof useList<'/own/{workerName}/{tableName}'>>
}

/** A longer list is loaded again on request only. */
function LiveRows({ table, list }: LiveRowsProps): ReactNode {
  const [waiting, setWaiting] = useState(0)
  const isShort = (list.data?.pages.length ?? 0) < 2
  const refresh = (): void => {
    setWaiting(0)
    void list.refetch()
  }
  const isLive = useOwnRows(table, (count) => (isShort ? refresh() : setWaiting((before) => before + count)))
  if (waiting > 0 && itemsOf(list).length > 0) {
    return (
      <Button isSmall onClick={refresh}>
        Show {formatCount(waiting, 'new row')}
      </Button>
    )
  }
  return isLive ? <Badge tone="good">Live</Badge> : null
}

function columnsOf({ kind, columns }: OwnTable): readonly Column<Row>[] {
  if (kind !== 'events') return columns.map(columnOf)
  const declared = columns.filter(({ name, is_key: isKey }) => !isKey && !standard.has(name))
  return [
    {
      name: 'Transaction',
      cell: (row) => <TransactionLink id={String(row['transaction_id'])} height={Number(row['block_height'])} />,
    },
    ...declared.map(columnOf),
    {
      name: 'Block',
      cell: (row) => <BlockLink height={Number(row['block_height'])} />,
      isNumber: true,
      order: 'oldest',
    },
    { name: 'Age', cell: (row) => <Age since={String(row['block_timestamp'])} />, isNumber: true, order: 'newest' },
  ]
}

const standard: ReadonlySet<string> = new Set(['block_timestamp', 'transaction_id'])

function columnOf(column: OwnColumn): Column<Row> {
  const { name, can_sort: canSort } = column
  return {
    name,
    cell: (row) => <Value column={column} value={row[name]} />,
    isNumber: isNumeric(column) && !isId(column),
    ...(canSort ? { order: name } : {}),
  }
}

function Value({ column, value }: { readonly column: OwnColumn; readonly value: unknown }): ReactNode {
  if (value === null || value === undefined) return <NoValue />
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (column.name === 'transaction_id') return <TransactionLink id={text} height={null} />
  if (column.name === 'block_height') return <BlockLink height={Number(value)} />
  switch (column.type) {
    case 'boolean':
      return value === true ? 'Yes' : 'No'
    case 'integer':
    case 'bigint':
    case 'numeric':
      return isId(column) ? <code>{text}</code> : <Amount amount={text} />
    case 'timestamptz':
      return formatTime(text)
    case 'text':
      return typeof value === 'string' && /^0x([0-9a-f]{16}|[0-9a-f]{40})$/i.test(value) ? (
        <OwnAddress address={value} />
      ) : (
        <div className="value-text">
          <ValueTree value={value} />
        </div>
      )
    case 'jsonb':
      return <Json value={value} />
    default:
      return <span className="nowrap">{text}</span>
  }
}

/** `AccountLink` names the zero address after system transactions. */
function OwnAddress({ address }: { readonly address: string }): ReactNode {
  return /^0x0{16}$/.test(address) ? <code>{address}</code> : <AccountLink address={address} />
}

const maxJsonLength = 24

function Json({ value }: { readonly value: unknown }): ReactNode {
  const text = JSON.stringify(value)
  if (text.length <= maxJsonLength) return <code className="nowrap">{text}</code>
  return (
    <details>
      <summary>
        <code>{text.slice(0, maxJsonLength)}…</code>
      </summary>
      <ValueTree value={value} />
    </details>
  )
}
