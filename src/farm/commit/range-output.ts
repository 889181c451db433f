import type { DeriveOutput, DeriveProblem, HeightTable, Worker } from '../../../jobs/worker.ts'
import type { RowWriter } from '../../platform/row-writer.ts'
import { CopyWriter } from '../../platform/db/copy-writer.ts'

export interface TableRows {
  readonly table: HeightTable
  readonly writer: CopyWriter
}

/** Reused from range to range. */
export class RangeOutput implements DeriveOutput {
  readonly problems: DeriveProblem[] = []
  readonly #worker: Worker
  readonly #tables = new Map<string, TableRows>()

  constructor(worker: Worker) {
    this.#worker = worker
  }

  /** @throws RangeError if the worker does not declare the table */
  rows(name: string): RowWriter {
    const known = this.#tables.get(name)
    if (known !== undefined) return known.writer
    const table = this.#worker.tables.find((one) => one.name === name)
    if (table === undefined) throw new RangeError(`${this.#worker.name} has no table ${name}`)
    const writer = new CopyWriter()
    this.#tables.set(name, { table, writer })
    return writer
  }

  problem(problem: DeriveProblem): void {
    this.problems.push(problem)
  }

  get tables(): TableRows[] {
    return this.#worker.tables.flatMap((table) => {
      const rows = this.#tables.get(table.name)
      return rows === undefined || rows.writer.rowCount === 0 ? [] : [rows]
    })
  }

  get rowCount(): number {
    let count = 0
    for (const { writer } of this.#tables.values()) count += writer.rowCount
    return count
  }

  get bytes(): number {
    let bytes = 0
    for (const { writer } of this.#tables.values()) bytes += writer.out.position
    return bytes
  }

  get capacity(): number {
    let bytes = 0
    for (const { writer } of this.#tables.values()) bytes += writer.out.bytes.length
    return bytes
  }

  clear(): void {
    this.problems.length = 0
    for (const { writer } of this.#tables.values()) writer.clear()
  }
}
