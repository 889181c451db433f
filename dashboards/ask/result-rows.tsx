import { useState } from 'react'
import type { ReactNode } from 'react'
import { applicationUrls } from '../kit/application-urls.ts'
import { Button } from '../kit/controls.tsx'
import { formatNumber } from '../kit/formats.ts'
import { itemPath } from '../kit/item-path.ts'
import { Cell, ColumnName, Row, Table, TableBody, TableHead } from '../kit/table.tsx'
import { cellText, escapeInvisible } from '../kit/result-table.ts'
import type { SqlValue, ResultTable } from '../kit/result-table.ts'
import type { Order } from './rows.ts'
import { formatValue } from './value-formats.ts'

export interface ResultRowsProps {
  readonly label?: string
  readonly table: ResultTable
  readonly order: Order | undefined
  readonly onOrder: (order: Order | undefined) => void
}

const rowsAtOnce = 100

const { explorer: explorerUrl } = applicationUrls()

export function ResultRows({ label = 'Result rows', table, order, onOrder }: ResultRowsProps): ReactNode {
  const { columns, rows } = table
  const [limit, setLimit] = useState(rowsAtOnce)
  const turn = (column: number): void => {
    if (order?.column !== column) onOrder({ column, isDescending: false })
    else onOrder(order.isDescending ? undefined : { column, isDescending: true })
  }
  return (
    <>
      <div className="table-scroll result-scroll" tabIndex={0} role="region" aria-label={label}>
        <Table className="result">
          <TableHead>
            {columns.map(({ name, type, isNumber }, i) => (
              <ColumnName key={name} className={isNumber ? 'number' : undefined} aria-sort={sortOf(order, i)}>
                <button type="button" className="sort" title={type} onClick={() => turn(i)}>
                  {escapeInvisible(name)}
                  <span aria-hidden="true">{order?.column === i ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
                </button>
              </ColumnName>
            ))}
          </TableHead>
          <TableBody key={`${rows.length} ${order?.column} ${order?.isDescending}`}>
            {rows.slice(0, limit).map((row, i) => (
              <Row key={i}>
                {columns.map(({ name, type, isNumber }, column) => (
                  <Cell key={name} className={isNumber ? 'number' : undefined}>
                    <Value column={name} type={type} value={row[column] ?? null} isNumber={isNumber} />
                  </Cell>
                ))}
              </Row>
            ))}
          </TableBody>
        </Table>
      </div>
      {rows.length > limit && (
        <footer className="more">
          <Button onClick={() => setLimit(limit + rowsAtOnce)}>
            {rows.length - limit <= rowsAtOnce
              ? `Show the remaining ${rows.length - limit}`
              : `Show ${rowsAtOnce} more of ${formatNumber(rows.length - limit)}`}
          </Button>
        </footer>
      )}
    </>
  )
}

function sortOf(order: Order | undefined, column: number): 'ascending' | 'descending' | 'none' {
  if (order?.column !== column) return 'none'
  return order.isDescending ? 'descending' : 'ascending'
}

/** Characters: ids up to 66, UInt256 up to 78 digits stay on one line. */
const maxIdLength = 66
const maxNumberLength = 78
const maxPhraseLength = 24
const maxTextLength = 160

interface ValueProps {
  readonly column: string
  readonly type: string
  readonly value: SqlValue
  readonly isNumber: boolean
}

function Value({ column, type, value, isNumber }: ValueProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  if (value === null) return <span className="null">null</span>
  const text = cellText(value)
  if (text === '') return <span className="null">empty</span>
  const longestLine = isNumber ? maxNumberLength : /\s/.test(text) ? maxPhraseLength : maxIdLength
  const path = explorerUrl === undefined ? undefined : itemPath(column, text)
  if (path !== undefined)
    return (
      <a className="nowrap" href={`${explorerUrl}${path.slice(1)}`}>
        {text}
      </a>
    )
  const shown = formatValue(column, type, text)
  if (shown !== text)
    return (
      <bdi className="nowrap" title={text}>
        {shown}
      </bdi>
    )
  if (text.length <= longestLine) return <bdi className="nowrap">{escapeInvisible(text)}</bdi>
  if (text.length <= maxTextLength) return <bdi className="long">{escapeInvisible(text)}</bdi>
  return (
    <>
      <bdi className="long">{escapeInvisible(isOpen ? text : text.slice(0, maxTextLength))}</bdi>{' '}
      <Button look="plain" isSmall aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${formatNumber(text.length)} characters`}
      </Button>
    </>
  )
}
