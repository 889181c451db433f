import type { Written } from './parquet/parquet-builder.ts'
import type { SqlAnswer, SqlValue } from './sql/sql-runner.ts'

/** As the query page writes CSV: spreadsheets would run formulas, so they start with an apostrophe. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** RFC 4180. Null is empty, an empty string is `""`, as in PostgreSQL. */
function csvLine(cells: readonly SqlValue[]): string {
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

/** With a header and a byte order mark. */
export class CsvFile {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async add(columns: SqlAnswer['columns'], rows: SqlAnswer['rows']): Promise<Written> {
    const lines = this.#bytes === 0 ? [`\uFEFF${csvLine(columns.map(({ name }) => name))}`] : []
    let size = this.#bytes + lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
    let rowCount = 0
    for (const row of rows) {
      const line = csvLine(row)
      size += Buffer.byteLength(line)
      if (size > this.#maxBytes) break
      lines.push(line)
      rowCount++
    }
    const bytes = Buffer.from(lines.join(''))
    this.#bytes += bytes.length
    return { bytes, rowCount }
  }

  async end(): Promise<Uint8Array> {
    return new Uint8Array()
  }

  async stop(): Promise<void> {}
}
