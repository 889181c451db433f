import { cellText } from './cell-text.ts'
import type { ResultTable, SqlValue } from './result-table.ts'

/**
 * What makes a spreadsheet take a cell for a formula, which may send what is beside it to anybody: names of tokens are
 * chosen by strangers. The wide forms count as well where a Chinese or Japanese keyboard is set.
 */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u

const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** The text of a cell for a spreadsheet: what it would compute begins with an apostrophe and stays text. */
export function safeCell(value: SqlValue): string {
  const text = cellText(value)
  return formula.test(text) && !number.test(text) ? `'${text}` : text
}

/** The table as RFC 4180 has it, with the mark by which Excel knows UTF-8. Nothing is empty, an empty text is `""`, as PostgreSQL writes it. */
export function toCsv({ columns, rows }: ResultTable): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return `\uFEFF${lines.map((cells) => cells.map((cell) => (cell === '' ? '""' : quote(safeCell(cell)))).join(',')).join('\r\n')}\r\n`
}

/** The table for the clipboard, with a tab between cells: a spreadsheet takes it apart as it is pasted. */
export function toTabSeparated({ columns, rows }: ResultTable): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return lines.map((cells) => cells.map((cell) => safeCell(cell).replaceAll(/[\t\r\n]+/g, ' ')).join('\t')).join('\n')
}

function quote(text: string): string {
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
