export type CsvValue = number | string | boolean | null | undefined

/** Full-width characters count with Chinese and Japanese keyboards. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** RFC 4180. Null is empty, an empty string is `""`, as in PostgreSQL. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/**
 * As dashboards/kit/result-table.ts. Spreadsheets would evaluate untrusted texts, so formulas start
 * with an apostrophe; some separate cells by semicolons.
 */
function csvCell(value: CsvValue): string {
  if (value === '') return '""'
  const given = String(value ?? '')
  const text = formula.test(given) && !number.test(given) ? `'${given}` : given
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
