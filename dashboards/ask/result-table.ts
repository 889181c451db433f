import { isNumberType } from './cell-text.ts'
import type { SqlResult, SqlValue } from './contract.ts'

export interface Column {
  readonly name: string
  /** PostgreSQL's name of the type. */
  readonly type: string
  /** Whether its values are read from the right. */
  readonly isNumber: boolean
}

/** The rows of an answer by position. */
export interface ResultTable {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly SqlValue[])[]
}

export function resultTable({ columns, column_types: types, results }: SqlResult): ResultTable {
  return {
    columns: columns.map((name, i) => {
      const type = types[i] ?? 'text'
      return { name, type, isNumber: isNumberType(type) }
    }),
    rows: results.map((row) => columns.map((name) => row[name] ?? null)),
  }
}
