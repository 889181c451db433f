import type { ResultTable } from './result-table.ts'

/** Numbers that name something are written as they are. */
const naming = /(?:^|_)(?:id|height|epoch|index|code)$/
const mostCellCharacters = 80

/**
 * The first rows as a table in Markdown. What stands in the cells was written by strangers: it is shown and means nothing in Markdown.
 * @param mostRows that are shown
 */
export function markdownTable({ columns, rows }: ResultTable, mostRows: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(escaped)),
    line(columns.map((name) => (rows.length > 0 && rows.every((row) => isNumeric(row[name])) ? '---:' : '---'))),
    ...rows.slice(0, mostRows).map((row) => line(columns.map((name) => cell(name, row[name])))),
  ].join('\n')
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isNumeric(value)) return naming.test(name) ? String(value) : grouped(String(value))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // The page leads from these to the explorer.
  if (/^(?:0x[\da-f]+|A\.[\da-f]{16}(?:\.\w+)+)$/.test(text)) return `\`${text}\``
  const day = /^(\d{4}-\d\d-\d\d)T00:00:00(?:\.0+)?Z$/.exec(text)?.[1]
  return escaped(day ?? text)
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value))
}

/** With separators of thousands, and without zeros at the end of a fraction. */
function grouped(number: string): string {
  const [whole = '', fraction = ''] = number.split('.', 2)
  const decimals = fraction.replace(/0+$/, '')
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}${decimals === '' ? '' : `.${decimals}`}`
}

function escaped(text: string): string {
  const short = text.length > mostCellCharacters ? `${text.slice(0, mostCellCharacters)}…` : text
  // A dot between words, `www.` and `@` would become links without any brackets.
  return short.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]()<>#+!|~:@&$=]|\.(?=\w)/g, (mark) => `\\${mark}`)
}
