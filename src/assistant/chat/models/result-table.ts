export interface ResultTable {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly isCut: boolean
}

export function readResultTable(output: unknown): ResultTable | undefined {
  if (typeof output === 'string') return readResultTable(parsed(output))
  if (Array.isArray(output)) return firstTable(output)
  if (!isRecord(output)) return undefined
  const rows = output['results']
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

function parsed(text: string): unknown {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const naming = /(?:^|_)(?:id|height|epoch|index|code)$/
const maxCellCharacters = 80

/** Cell contents are untrusted and escaped. */
export function markdownTable({ columns, rows }: ResultTable, maxRows: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(escaped)),
    line(columns.map((name) => (rows.length > 0 && rows.every((row) => isNumeric(row[name])) ? '---:' : '---'))),
    ...rows.slice(0, maxRows).map((row) => line(columns.map((name) => cell(name, row[name])))),
  ].join('\n')
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isNumeric(value)) return naming.test(name) ? String(value) : grouped(String(value))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // The page links these to the explorer.
  if (/^(?:0x[\da-f]+|A\.[\da-f]{16}(?:\.\w+)+)$/.test(text)) return `\`${text}\``
  const day = /^(\d{4}-\d\d-\d\d)T00:00:00(?:\.0+)?Z$/.exec(text)?.[1]
  return escaped(day ?? text)
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value))
}

function grouped(number: string): string {
  const [whole = '', fraction = ''] = number.split('.', 2)
  const decimals = fraction.replace(/0+$/, '')
  return `${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}${decimals === '' ? '' : `.${decimals}`}`
}

function escaped(text: string): string {
  const short = text.length > maxCellCharacters ? `${text.slice(0, maxCellCharacters)}…` : text
  // A dot between words, `www.` and `@` would become links even without brackets.
  return short.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]()<>#+!|~:@&$=]|\.(?=\w)/g, (mark) => `\\${mark}`)
}
