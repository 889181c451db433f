/** A value of a cell; null and undefined give an empty one. */
export type CsvValue = number | string | null | undefined

/** One line of CSV as RFC 4180 has it. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/**
 * A cell that no spreadsheet takes for a formula: texts of strangers, such as names of tokens, get an apostrophe before what
 * would begin one.
 */
function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
