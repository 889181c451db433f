import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { cellText, shownText } from '../../kit/cell-text.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import { download } from '../../kit/download.ts'
import { formatCount, formatNumber } from '../../kit/formats.ts'
import { Icon } from '../../kit/icon.tsx'
import type { SqlValue } from '../../kit/result-table.ts'
import { toCsv, toTabSeparated } from '../../kit/spreadsheet.ts'
import { Cell, ColumnName, Row, Table, TableBody, TableHead } from '../../kit/table.tsx'
import { columnHint } from '../markdown/explorer-path.ts'
import type { IdHint } from '../markdown/explorer-path.ts'
import { IdLink } from '../markdown/links.tsx'
import type { ToolRows } from './tool-rows.ts'

const rowsAtFirst = 10
const longestCell = 120

/** The rows that a statement gave: the first of them, and all when asked for. */
export function RowsTable({ table }: { readonly table: ToolRows }): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const { columns, rows, rowCount, isTruncated } = table
  if (rows.length === 0) return <p className="soft call-note">The SQL ran, and nothing fits it.</p>
  const hints = columns.map(({ name }) => columnHint(name))
  return (
    <>
      <div className="table-scroll call-rows" tabIndex={0} role="region" aria-label="Rows of the result">
        <Table>
          <TableHead>
            {columns.map(({ name, type, isNumber }, i) => (
              <ColumnName key={i} title={type} className={isNumber ? 'number' : undefined}>
                {shownText(name)}
              </ColumnName>
            ))}
          </TableHead>
          <TableBody>
            {rows.slice(0, isWhole ? rows.length : rowsAtFirst).map((row, i) => (
              <Row key={i}>
                {row.map((value, column) => (
                  <RowCell
                    key={column}
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
          {isTruncated ? `The first ${formatCount(rowCount, 'row')}; there are more.` : formatCount(rowCount, 'row')}
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
  value,
  isNumber,
  hint,
}: {
  readonly value: SqlValue
  readonly isNumber: boolean
  readonly hint: IdHint | undefined
}): ReactNode {
  if (value === null)
    return (
      <Cell className={isNumber ? 'number' : undefined}>
        <span className="null">null</span>
      </Cell>
    )
  const text = cellText(value)
  const shown = shownText(text.length > longestCell ? `${text.slice(0, longestCell)}…` : text)
  return (
    <Cell className={isNumber ? 'number' : text.length > 30 && /\s/.test(text) ? 'long' : undefined}>
      <IdLink text={text} hint={hint}>
        <bdi>{shown}</bdi>
      </IdLink>
    </Cell>
  )
}
