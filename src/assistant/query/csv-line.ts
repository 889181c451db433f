import type { SqlValue } from './sql/sql-runner.ts'

/** As the query page writes CSV: spreadsheets would run formulas, so they start with an apostrophe. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** RFC 4180. Null is empty, an empty string is `""`, as in PostgreSQL. */
export function csvLine(cells: readonly SqlValue[]): string {
  return `${cells.map((cell) => (cell === '' ? '""' : quoted(textOf(cell)))).join(',')}\r\n`
}

function textOf(value: SqlValue): string {
  if (value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return formula.test(text) && !number.test(text) ? `'${text}` : text
}

function quoted(text: string): string {
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
