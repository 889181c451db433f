import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../kit/api.ts'
import { Button, Icon } from '../kit/controls.tsx'
import { Modal } from '../kit/dialog.tsx'
import { formatCompact } from '../kit/formats.ts'
import { cellText, escapeInvisible } from '../kit/result-table.ts'
import type { SqlValue } from '../kit/result-table.ts'
import { EmptyState, ErrorState, Loading } from '../kit/state.tsx'
import { Cell, ColumnName, Row, Table, TableBody, TableHead } from '../kit/table.tsx'
import type { SchemaMetric, SchemaTable } from './answers.gen.ts'
import { api, queryKeys, useSchema } from './api.ts'
import type { SelectedQuery, Target } from './draft.ts'
import { ListState } from './lists.tsx'

interface SchemaBrowserProps {
  readonly target: Target
  readonly onInsert: (text: string) => void
  readonly onChoose: (chosen: SelectedQuery) => void
}

/** Tables that a search finds are open if they are few. */
const maxOpen = 2

export function SchemaBrowser({ target, onInsert, onChoose }: SchemaBrowserProps): ReactNode {
  const schema = useSchema(target)
  const [search, setSearch] = useState('')
  const [sampled, setSampled] = useState<string>()
  if (schema.data === undefined) return <ListState list={schema} what="tables" />
  const found = schema.data.data.filter((table) => matches(table, search))
  const metrics = schema.data.metrics.filter((metric) => describes(metric, search))
  const groups = Map.groupBy(found, (table) => table.schema)
  return (
    <>
      <label className="list-filter">
        <span className="visually-hidden">Search tables</span>
        <input
          className="input"
          type="search"
          placeholder={`Search ${schema.data.data.length} tables`}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      {found.length + metrics.length === 0 && (
        <EmptyState title="No matching tables">Search for another table or column.</EmptyState>
      )}
      {metrics.length > 0 && (
        <details className="schema" open={search !== ''}>
          <summary>
            Metrics <span className="soft">{metrics.length}</span>
          </summary>
          <ul>
            {metrics.map((metric) => (
              <li key={metric.name}>
                <button
                  type="button"
                  className="schema-table"
                  title={metric.definition}
                  onClick={() => onChoose({ target, question: '', sql: metric.sql, parameters: [] })}
                >
                  <span>{metric.name}</span>
                  {metric.unit !== 'count' && <span className="soft">{metric.unit}</span>}
                </button>
                <p className="note schema-metric">{metric.definition}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
      {[...groups].map(([name, tables]) => (
        <details key={name} className="schema" open>
          <summary>
            {name} <span className="soft">{tables.length}</span>
          </summary>
          <ul>
            {tables.map((table) => (
              <TableEntry
                key={`${table.name} ${search !== '' && found.length <= maxOpen}`}
                table={table}
                search={search}
                isFirstOpen={search !== '' && found.length <= maxOpen}
                onInsert={onInsert}
                onSample={() => setSampled(fullName(table))}
              />
            ))}
          </ul>
        </details>
      ))}
      {sampled !== undefined && <SampleRows target={target} table={sampled} onClose={() => setSampled(undefined)} />}
    </>
  )
}

function describes({ name, title, definition }: SchemaMetric, search: string): boolean {
  const text = `${name} ${title} ${definition}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function matches({ schema, name, columns }: SchemaTable, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return words.every(
    (word) => `${schema}.${name}`.includes(word) || columns.some((column) => column.name.includes(word)),
  )
}

const fullName = ({ schema, name }: SchemaTable): string => [schema, name].map(quoted).join('.')

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

interface TableEntryProps {
  readonly table: SchemaTable
  readonly search: string
  readonly isFirstOpen: boolean
  readonly onInsert: (text: string) => void
  readonly onSample: () => void
}

function TableEntry({ table, search, isFirstOpen, onInsert, onSample }: TableEntryProps): ReactNode {
  const [isOpen, setIsOpen] = useState(isFirstOpen)
  const { name, comment, approximate_rows: rows, columns } = table
  const isMatch = (column: string): boolean => search.trim() !== '' && column.includes(search.trim().toLowerCase())
  return (
    <li>
      <button type="button" className="schema-table" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="chevron" size={12} />
        <span>{escapeInvisible(name)}</span>
        {rows !== null && (
          <span className="soft">
            {formatCompact(rows)}
            <span className="visually-hidden"> rows</span>
          </span>
        )}
      </button>
      {isOpen && (
        <div className="schema-details">
          {comment !== null && <p className="note">{escapeInvisible(comment)}</p>}
          <div className="button-row">
            <Button isSmall aria-label={`Insert ${fullName(table)}`} onClick={() => onInsert(fullName(table))}>
              Insert
            </Button>
            <Button isSmall aria-label={`Sample rows of ${fullName(table)}`} onClick={onSample}>
              Sample rows
            </Button>
          </div>
          <ul>
            {columns.map((column) => (
              <li key={column.name}>
                <button
                  type="button"
                  className={isMatch(column.name) ? 'schema-column match' : 'schema-column'}
                  title={`Insert ${column.name}`}
                  onClick={() => onInsert(quoted(column.name))}
                >
                  <span>{escapeInvisible(column.name)}</span> <span className="soft">{shortType(column.type)}</span>
                </button>
                {column.comment !== null && <p className="note">{escapeInvisible(column.comment)}</p>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  )
}

function shortType(type: string): string {
  return type.replace(/^(time\w*)(\(\d\))? with time zone$/, '$1tz$2').replace('character varying', 'varchar')
}

const maxCellCharacters = 120

interface SampleRowsProps {
  readonly target: Target
  readonly table: string
  readonly onClose: () => void
}

function SampleRows({ target, table, onClose }: SampleRowsProps): ReactNode {
  const sample = useQuery({
    queryKey: [...queryKeys.sample, target, table],
    queryFn: ({ signal }) => api.sample(target, table, signal),
    staleTime: 60_000,
  })
  return (
    <Modal title={`Sample rows of ${table}`} isWide onClose={onClose}>
      {sample.data === undefined ? (
        sample.error === null ? (
          <Loading rows={5} label="Loading rows…" />
        ) : (
          <ErrorState
            title="Could not load rows"
            detail={problemText(sample.error)}
            onRetry={() => void sample.refetch()}
          />
        )
      ) : sample.data.row_count === 0 ? (
        <EmptyState title="No rows">The table is empty.</EmptyState>
      ) : (
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Sample rows">
          <Table className="result">
            <TableHead>
              {sample.data.columns.map((name) => (
                <ColumnName key={name}>{escapeInvisible(name)}</ColumnName>
              ))}
            </TableHead>
            <TableBody>
              {sample.data.results.map((row, i) => (
                <Row key={i}>
                  {sample.data.columns.map((name) => (
                    <Cell key={name}>{sampleText((row[name] as SqlValue | undefined) ?? null)}</Cell>
                  ))}
                </Row>
              ))}
            </TableBody>
          </Table>
        </div>
      )}
    </Modal>
  )
}

function sampleText(value: SqlValue): ReactNode {
  if (value === null) return <span className="null">null</span>
  const text = cellText(value)
  return escapeInvisible(text.length > maxCellCharacters ? `${text.slice(0, maxCellCharacters)}…` : text)
}
