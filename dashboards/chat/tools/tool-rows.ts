import { isNumberType } from '../../kit/cell-text.ts'
import type { ResultTable, SqlValue } from '../../kit/result-table.ts'
import { asRecord } from './tool-outcome.ts'

/** What a statement gave. */
export interface ToolRows extends ResultTable {
  readonly rowCount: number
  /** Whether there were more than these. */
  readonly isTruncated: boolean
  readonly durationMs: number | undefined
}

/** Reads what a tool gave as rows, be they by name or by position; undefined where it gave none. */
export function readToolRows(output: unknown): ToolRows | undefined {
  const {
    columns,
    column_types: types,
    rows: plain,
    results,
    row_count: count,
    truncated,
    duration_ms: duration,
  } = asRecord(output)
  const rows: unknown = plain ?? results
  if (!Array.isArray(columns) || !Array.isArray(rows) || !columns.every((name) => typeof name === 'string'))
    return undefined
  const cells = rows.map(
    (row) =>
      columns.map((name, i) => (Array.isArray(row) ? (row[i] as unknown) : asRecord(row)[name]) ?? null) as SqlValue[],
  )
  return {
    columns: columns.map((name, i) => {
      const type: unknown = Array.isArray(types) ? types[i] : undefined
      const isNumber =
        typeof type === 'string'
          ? isNumberType(type)
          : cells.some((row) => row[i] !== null) && cells.every((row) => row[i] === null || isNumeric(row[i]))
      return { name, type: typeof type === 'string' ? type : 'text', isNumber }
    }),
    rows: cells,
    rowCount: typeof count === 'number' ? count : cells.length,
    isTruncated: truncated === true,
    durationMs: typeof duration === 'number' ? duration : undefined,
  }
}

function isNumeric(value: SqlValue | undefined): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value))
}
