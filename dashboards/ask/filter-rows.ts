import { cellText } from '../kit/cell-text.ts'
import type { SqlValue } from '../kit/result-table.ts'

/** The rows that have the text in one of their cells, whatever its case; all of them for no text. */
export function filterRows(rows: readonly (readonly SqlValue[])[], text: string): readonly (readonly SqlValue[])[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter((row) => row.some((value) => cellText(value).toLowerCase().includes(wanted)))
}
