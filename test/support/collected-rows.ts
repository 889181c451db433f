import { ByteWriter } from '../../src/platform/byte-writer.ts'
import type { RowWriter } from '../../src/platform/row-writer.ts'
import type { DecodedRange } from '../../src/flow/decoded-block.ts'
import type { DeriveOutput, DeriveProblem, HeightTable, Worker } from '../../jobs/worker.ts'

export type CollectedValue = string | number | boolean | null | readonly string[] | readonly number[]
export type CollectedRow = Readonly<Record<string, CollectedValue>>

/** A worker's output for a range, as plain values by column, for tests without a database. */
export class CollectedRows implements DeriveOutput {
  readonly problems: DeriveProblem[] = []
  readonly #tables: ReadonlyMap<string, RowCollector>

  constructor(worker: Worker) {
    this.#tables = new Map(worker.tables.map((table) => [table.name, new RowCollector(table)]))
  }

  rows(table: string): RowWriter {
    return this.#of(table)
  }

  problem(problem: DeriveProblem): void {
    this.problems.push(problem)
  }

  /** The rows of a table in write order. Throws if a row lacks a field. */
  of(table: string): CollectedRow[] {
    return this.#of(table).finish()
  }

  #of(table: string): RowCollector {
    const rows = this.#tables.get(table)
    if (rows === undefined) throw new RangeError(`the worker has no table ${table}`)
    return rows
  }
}

/** Runs a worker over a range, on the network of the recordings. */
export function collect(worker: Worker, range: DecodedRange): CollectedRows {
  const output = new CollectedRows(worker)
  worker.derive?.(range, output, { network: 'emulator' })
  return output
}

class RowCollector implements RowWriter {
  readonly out = new ByteWriter(1024)
  readonly #table: HeightTable
  readonly #rows: CollectedValue[][] = []

  constructor(table: HeightTable) {
    this.#table = table
  }

  finish(): CollectedRow[] {
    const { name, columns } = this.#table
    return this.#rows.map((values) => {
      if (values.length !== columns.length) throw new Error(`a row of ${name} has ${values.length} fields`)
      return Object.fromEntries(columns.map((column, i) => [column, values[i] as CollectedValue]))
    })
  }

  row(fieldCount: number): void {
    const { name, columns } = this.#table
    if (fieldCount !== columns.length) throw new Error(`a row of ${name} is to have ${fieldCount} fields`)
    this.#rows.push([])
  }

  null(): void {
    this.#add(null)
  }

  bool(value: boolean): void {
    this.#add(value)
  }

  int2(value: number): void {
    this.#add(value)
  }

  int4(value: number): void {
    this.#add(value)
  }

  int8(value: number | bigint): void {
    this.#add(typeof value === 'bigint' ? value.toString() : value)
  }

  text(value: string): void {
    this.#add(value)
  }

  bytea(value: Uint8Array): void {
    this.#add(Buffer.from(value).toString('hex'))
  }

  timestamptzUs(value: number): void {
    this.#add(value)
  }

  date(days: number): void {
    this.#add(days)
  }

  numeric(value: string): void {
    this.#add(value)
  }

  textArray(values: readonly string[]): void {
    this.#add([...values])
  }

  byteaArray(values: readonly Uint8Array[]): void {
    this.#add(values.map((value) => Buffer.from(value).toString('hex')))
  }

  int4Array(values: readonly number[]): void {
    this.#add([...values])
  }

  numericArray(values: readonly string[]): void {
    this.#add([...values])
  }

  jsonbBegin(): void {
    this.out.clear()
  }

  jsonbEnd(): void {
    this.#add(this.out.view().toString('utf8'))
  }

  #add(value: CollectedValue): void {
    const row = this.#rows.at(-1)
    if (row === undefined) throw new Error(`a field of ${this.#table.name} outside of a row`)
    row.push(value)
  }
}
