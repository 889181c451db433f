import { toCsv } from '../kit/result-table.ts'
import type { SqlValue } from '../kit/result-table.ts'

/** A column per field of the items, `token.symbol` for nested ones. Lists of texts are separated by spaces. */
export function listCsv(items: readonly object[]): string {
  const rows = items.map((item) => new Map(cellsOf(item)))
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  return toCsv({
    columns: names.map((name) => ({ name, type: 'text', isNumber: false })),
    rows: rows.map((row) => names.map((name) => row.get(name) ?? null)),
  })
}

function cellsOf(item: object, prefix = ''): readonly (readonly [string, SqlValue])[] {
  return Object.entries(item).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return cellsOf(value, `${prefix}${name}.`)
    return [[`${prefix}${name}`, cellOf(value)] as const]
  })
}

function cellOf(value: unknown): SqlValue {
  if (!Array.isArray(value)) return value as SqlValue
  const isFlat = value.every((each) => typeof each !== 'object')
  return isFlat ? value.join(' ') || null : JSON.stringify(value)
}
