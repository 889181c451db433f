import { useMutation } from '@tanstack/react-query'
import { memo, useContext, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { applicationUrls } from '../../kit/application-urls.ts'
import { Button, Icon } from '../../kit/controls.tsx'
import { escapeInvisible, cellText, toCsv, toTabSeparated } from '../../kit/result-table.ts'
import { CopyButton } from '../../kit/toast.tsx'
import { download } from '../../kit/browser.ts'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import type { SqlValue } from '../../kit/result-table.ts'
import { Cell, ColumnName, Row, Table, TableBody, TableHead } from '../../kit/table.tsx'
import { readChart } from './chart-data.ts'
import { Chart } from './chart.tsx'
import { problemText } from '../../kit/api.ts'
import type { MessagePart } from '../messages.ts'
import { runSql } from '../settings.ts'
import { Proposal } from './proposal.tsx'
import { CodeBlock, IdLink, SqlActionsContext } from './markdown.tsx'
import { columnHint, isWideTable } from './markdown-text.ts'
import type { IdHint } from './markdown-text.ts'
import { asText, readToolCall, readToolRows, describeToolCall, unwrap } from './tool-outcome.ts'
import type { ToolCall, ToolRows } from './tool-outcome.ts'

const maxShown = 20_000

interface ToolLineProps {
  readonly part: MessagePart
  readonly isLive: boolean
}

export const ToolLine = memo(function ToolLine({ part, isLive }: ToolLineProps): ReactNode {
  const call = readToolCall(part, isLive)
  if (call === undefined) return null
  const chart = call.name === 'createChart' && call.outcome.is === 'done' ? readChart(call.outcome.output) : undefined
  if (chart !== undefined) return <Chart data={chart} />
  return (
    <>
      <Line call={call} />
      {!isLive && <Proposal call={call} />}
    </>
  )
}, isSame)

/** Each update of the answer copies finished results, which do not change. */
function isSame(a: ToolLineProps, b: ToolLineProps): boolean {
  const [before, after] = [a.part, b.part]
  return (
    'state' in before &&
    'state' in after &&
    before.state === after.state &&
    !['input-streaming', 'input-available'].includes(after.state ?? '') &&
    a.isLive === b.isLive
  )
}

function Line({ call }: { readonly call: ToolCall }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const { outcome } = call
  const { icon, text, subject, notes } = describeToolCall(call)
  return (
    <div className={`call ${outcome.is}`}>
      <button
        type="button"
        className="call-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {outcome.is === 'running' ? (
          <span className="spinner" />
        ) : (
          <Icon name={outcome.is === 'failed' ? 'alert' : icon} />
        )}
        <span className="call-text">{text}</span>
        {subject !== undefined && <span className="call-subject">{escapeInvisible(subject)}</span>}
        {notes.length > 0 && <span className="call-notes">{notes.join(' · ')}</span>}
        <span className="call-turn">
          <Icon name="chevron" size={14} />
        </span>
      </button>
      {outcome.is === 'failed' && <p className="call-error">{escapeInvisible(outcome.error)}</p>}
      <div id={id} className="call-body" hidden={!isOpen}>
        {isOpen && <Details call={call} />}
      </div>
    </div>
  )
}

const { ask: askUrl } = applicationUrls()

interface SqlActionsProps {
  readonly sql: string
  readonly target: 'indexer' | 'evm'
}

/** Runs a shown statement again below it, and opens it in Ask. Results are not stored. */
export function SqlActions({ sql, target }: SqlActionsProps): ReactNode {
  const running = useMutation({ mutationFn: () => runSql(sql, target) })
  const values = new URLSearchParams(target === 'evm' ? { target, sql } : { sql })
  const { output, error } = running.data ?? { output: undefined, error: null }
  const problem = error ?? (running.error === null ? undefined : problemText(running.error))
  const rows = problem === undefined ? readToolRows(unwrap(output)) : undefined
  return (
    <div className="sql-actions">
      <div className="button-row">
        <Button isSmall disabled={running.isPending} onClick={() => running.mutate()}>
          <Icon name="play" size={14} /> {running.isPending ? 'Running…' : 'Run again'}
        </Button>
        {askUrl !== undefined && (
          <a className="button small plain" href={`${askUrl}#${values.toString()}`}>
            Open in Ask
          </a>
        )}
      </div>
      {problem !== undefined && !running.isPending && (
        <p className="call-note field-error" role="alert">
          {escapeInvisible(problem)}
        </p>
      )}
      {rows !== undefined && (
        <div className="rerun" role="group" aria-label="New result">
          <RowsTable table={rows} />
        </div>
      )}
    </div>
  )
}

function Details({ call: { input, outcome } }: { readonly call: ToolCall }): ReactNode {
  const sqlActions = useContext(SqlActionsContext)
  const { sql, script, code, source, ...rest } = input
  const cadence = asText(script) ?? asText(code) ?? asText(source)
  const output = outcome.is === 'done' ? outcome.output : undefined
  const rows = readToolRows(output)
  return (
    <>
      {asText(sql) !== undefined && <CodeBlock code={asText(sql) ?? ''} language="sql" />}
      {cadence !== undefined && <CodeBlock code={cadence} language="cadence" />}
      {Object.keys(rest).length > 0 && <CodeBlock code={asJson(rest)} language="Input" />}
      {rows === undefined ? (
        output !== undefined && <CodeBlock code={textOf(output)} language="Result" />
      ) : (
        <RowsTable table={rows} />
      )}
      {asText(sql) !== undefined && sqlActions?.(asText(sql) ?? '')}
      {outcome.is === 'incomplete' && <p className="soft call-note">The answer ended before this call finished.</p>}
    </>
  )
}

function textOf(output: unknown): string {
  const text = typeof output === 'string' ? output : asJson(output)
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}\n… ${text.length - maxShown} more characters`
}

function asJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}

const rowsAtFirst = 10
const maxCellLength = 120

function RowsTable({ table }: { readonly table: ToolRows }): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const { columns, rows, rowCount, isTruncated } = table
  if (rows.length === 0) return <p className="soft call-note">The query returned no rows.</p>
  const hints = columns.map(({ name }) => columnHint(name))
  const shown = rows.slice(0, isWhole ? rows.length : rowsAtFirst)
  const names = columns.map(({ name }) => escapeInvisible(name))
  const isWide = isWideTable([
    names,
    ...shown.map((row) => row.map((value) => cellText(value).slice(0, maxCellLength))),
  ])
  return (
    <>
      <div className="table-scroll call-rows" tabIndex={0} role="region" aria-label="Result rows">
        <Table className={isWide ? 'cards' : undefined}>
          <TableHead>
            {columns.map(({ type, isNumber }, i) => (
              <ColumnName key={i} title={type} className={isNumber ? 'number' : undefined}>
                {names[i]}
              </ColumnName>
            ))}
          </TableHead>
          <TableBody>
            {shown.map((row, i) => (
              <Row key={i}>
                {row.map((value, column) => (
                  <RowCell
                    key={column}
                    label={names[column] ?? ''}
                    value={value}
                    isNumber={columns[column]?.isNumber === true}
                    hint={hints[column]}
                  />
                ))}
              </Row>
            ))}
          </TableBody>
        </Table>
      </div>
      <div className="call-row-tools">
        <span className="soft">
          {isTruncated ? `First ${formatCount(rowCount, 'row')}` : formatCount(rowCount, 'row')}
        </span>
        {rows.length > rowsAtFirst && (
          <Button isSmall look="plain" onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${formatNumber(rows.length)}`}
          </Button>
        )}
        <span className="end">
          <Button isSmall look="plain" onClick={() => download('flowfarm.csv', 'text/csv;charset=utf-8', toCsv(table))}>
            <Icon name="save" size={14} /> CSV
          </Button>
          <CopyButton text={() => toTabSeparated(table)} what="the rows" />
        </span>
      </div>
    </>
  )
}

function RowCell({
  label,
  value,
  isNumber,
  hint,
}: {
  readonly label: string
  readonly value: SqlValue
  readonly isNumber: boolean
  readonly hint: IdHint | undefined
}): ReactNode {
  if (value === null)
    return (
      <Cell label={label} className={isNumber ? 'number' : undefined}>
        <span className="null">null</span>
      </Cell>
    )
  const text = cellText(value)
  const shown = escapeInvisible(text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text)
  return (
    <Cell label={label} className={isNumber ? 'number' : text.length > 30 && /\s/.test(text) ? 'long' : undefined}>
      <IdLink text={text} hint={hint}>
        <bdi>{shown}</bdi>
      </IdLink>
    </Cell>
  )
}
