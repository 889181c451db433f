/** What a statement gave. */
export interface ResultTable {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Whether there are more rows than these. */
  readonly isCut: boolean
}

/**
 * Finds the rows in what a tool for SQL gave, in whichever form it went to the model: as JSON, as text, or as text in parts of content.
 * @returns undefined where there are none to be found
 */
export function readResultTable(output: unknown): ResultTable | undefined {
  if (typeof output === 'string') return readResultTable(parsed(output))
  if (Array.isArray(output)) return firstTable(output)
  if (!isRecord(output)) return undefined
  const rows = output['rows'] ?? output['results']
  if (Array.isArray(rows) && rows.every(isRecord)) {
    const named = output['columns']
    const columns =
      Array.isArray(named) && named.every((name) => typeof name === 'string') ? named : Object.keys(rows[0] ?? {})
    return { columns: [...new Set(columns)], rows, isCut: output['truncated'] === true }
  }
  return firstTable([output['structuredContent'], output['value'], output['content'], output['text']])
}

function firstTable(values: readonly unknown[]): ResultTable | undefined {
  for (const value of values) {
    const table = readResultTable(value)
    if (table !== undefined) return table
  }
  return undefined
}

/** Words may stand around the JSON, e.g. that it is data. */
function parsed(text: string): unknown {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    return JSON.parse(json)
  } catch {
    // It is no JSON, or was cut.
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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
