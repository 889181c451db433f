import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { ApiError } from '../../../platform/errors.ts'
import type { SqlAnswer } from '../sql/sql-runner.ts'
import { parquetColumn } from './parquet-column.ts'
import type { ParquetColumn, ParquetValue } from './parquet-column.ts'

export interface Written {
  readonly bytes: Uint8Array
  /** The first rows that are in the file; the others exceed its limit. */
  readonly rowCount: number
}

export interface ParquetLimits {
  /** Bytes of the file. */
  readonly maxBytes: number
  /** Uncompressed bytes of a row group, which is in memory. */
  readonly groupBytes: number
  /** Column chunks of the file, which its footer lists. */
  readonly maxChunks: number
}

export const parquetLimits: Omit<ParquetLimits, 'maxBytes'> = { groupBytes: 4_000_000, maxChunks: 50_000 }

const cellBytes = 8
/** Headers of its pages and its entry in the footer, without its name. */
const chunkBytes = 500
const fileBytes = 500

/** Parquet with Snappy, one row group after another. */
export class ParquetBuilder {
  readonly #columns: readonly ParquetColumn[]
  readonly #limits: ParquetLimits
  readonly #bytes = new ByteWriter()
  readonly #writer: ParquetWriter
  readonly #groupOverhead: number
  #group: ParquetValue[][]
  #groupBytes = 0
  #groups = 0

  /** @throws ApiError 400 `parquet-columns` */
  constructor(columns: SqlAnswer['columns'], limits: ParquetLimits) {
    if (columns.length === 0) throw new ApiError(400, 'parquet-columns', 'Parquet needs at least one column.')
    this.#columns = columns.map(parquetColumn)
    this.#limits = limits
    const schema = [{ name: 'root', num_children: columns.length }, ...this.#columns.map(({ element }) => element)]
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'flowfarm' })
    this.#groupOverhead = columns.reduce((sum, { name }) => sum + chunkBytes + Buffer.byteLength(name), 0)
    this.#group = columns.map(() => [])
  }

  /** @throws as `ParquetColumn.valueOf` */
  add(rows: SqlAnswer['rows']): Written {
    let rowCount = 0
    for (const row of rows) {
      const values = this.#columns.map(({ valueOf }, i) => valueOf(row[i] ?? null))
      const size = values.reduce<number>((sum, value) => sum + sizeOf(value), 0)
      // Written, a group is smaller than it was counted.
      if (!this.#hasSpace(size)) this.#writeGroup()
      if (!this.#hasSpace(size)) break
      for (const [i, value] of values.entries()) this.#group[i]?.push(value)
      this.#groupBytes += size
      rowCount++
      if (this.#groupBytes >= this.#limits.groupBytes) this.#writeGroup()
    }
    return { bytes: this.#take(), rowCount }
  }

  end(): Uint8Array {
    this.#writeGroup()
    void this.#writer.finish()
    return this.#take()
  }

  #hasSpace(size: number): boolean {
    const { maxBytes, maxChunks } = this.#limits
    const groups = this.#groups + 1
    // Snappy adds at most a sixth.
    const group = ((this.#groupBytes + size) * 7) / 6
    const total = this.#bytes.offset + group + (groups + 1) * this.#groupOverhead + fileBytes
    return total <= maxBytes && groups * this.#columns.length <= maxChunks
  }

  #writeGroup(): void {
    const rows = this.#group[0]?.length ?? 0
    if (rows === 0) return
    const columnData = this.#columns.map(({ element: { name, type } }, i) => ({
      name,
      data: this.#group[i] ?? [],
      offsetIndex: false,
      // Limits of long texts would be kept whole.
      statistics: type !== 'BYTE_ARRAY',
    }))
    void this.#writer.write({ columnData, rowGroupSize: rows })
    this.#group = this.#columns.map(() => [])
    this.#groupBytes = 0
    this.#groups++
  }

  #take(): Uint8Array {
    const taken = this.#bytes.getBytes().slice()
    this.#bytes.index = 0
    return taken
  }
}

function sizeOf(value: ParquetValue): number {
  if (typeof value === 'string') return cellBytes + Buffer.byteLength(value)
  return cellBytes + (value instanceof Uint8Array ? value.length : 0)
}
