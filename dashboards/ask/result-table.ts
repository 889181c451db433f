import { isNumberType } from '../kit/cell-text.ts'
import type { ResultTable } from '../kit/result-table.ts'
import type { SqlResult } from './contract.ts'

/** The rows of an answer as a table. */
export function resultTable({ columns, column_types: types, results }: SqlResult): ResultTable {
  return {
    columns: columns.map((name, i) => {
      const type = types[i] ?? 'text'
      return { name, type, isNumber: isNumberType(type) }
    }),
    rows: results.map((row) => columns.map((name) => row[name] ?? null)),
  }
}
