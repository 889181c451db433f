import { csvLine } from '../../platform/csv.ts'
import type { CsvValue } from '../../platform/csv.ts'
import type { Written } from './parquet/parquet-builder.ts'
import type { SqlAnswer, SqlValue } from './sql/sql-runner.ts'

function valueOf(value: SqlValue): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
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
      const line = csvLine(row.map(valueOf))
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
