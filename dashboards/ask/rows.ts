import { cellText, isNumberType } from '../kit/result-table.ts'
import type { ResultTable, SqlValue } from '../kit/result-table.ts'
import type { SqlResult } from './draft.ts'

export function resultTable({
  columns,
  column_types: types,
  results,
}: Pick<SqlResult, 'columns' | 'column_types' | 'results'>): ResultTable {
  return {
    columns: columns.map((name, i) => {
      const type = types[i] ?? 'text'
      return { name, type, isNumber: isNumberType(type) }
    }),
    rows: results.map((row) => columns.map((name) => row[name] ?? null)),
  }
}

export interface Order {
  readonly column: number
  readonly isDescending: boolean
}

type Row = readonly SqlValue[]

const texts = new Intl.Collator('en', { numeric: false })

/**
 * Numbers by exact value, other values as text, nulls last in both directions. @param type
 * PostgreSQL type name
 */
export function sortRows(rows: readonly Row[], { column, isDescending }: Order, type: string): readonly Row[] {
  const compare = isNumberType(type) ? compareNumbers : texts.compare
  const keyed = rows.map((row) => ({ row, key: row[column] === null ? undefined : cellText(row[column] ?? null) }))
  const sorted = keyed.toSorted((a, b) => {
    if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
    return isDescending ? compare(b.key, a.key) : compare(a.key, b.key)
  })
  return sorted.map(({ row }) => row)
}

/** NaN is greater than all others, as in PostgreSQL. */
export function compareNumbers(a: string, b: string): number {
  const [left, right] = [readDecimal(a), readDecimal(b)]
  if (left !== undefined && right !== undefined) return compareDecimals(left, right)
  return rank(a) - rank(b)
}

interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

function readDecimal(text: string): Decimal | undefined {
  const [match, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? []
  if (match === undefined) return undefined
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const difference = a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function rank(text: string): number {
  return { '-Infinity': -1, Infinity: 1, NaN: 2 }[text] ?? 0
}

export function filterRows(rows: readonly (readonly SqlValue[])[], text: string): readonly (readonly SqlValue[])[] {
  const needle = text.trim().toLowerCase()
  if (needle === '') return rows
  return rows.filter((row) => row.some((value) => cellText(value).toLowerCase().includes(needle)))
}
