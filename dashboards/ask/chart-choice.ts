import { cellText, isTimeType } from '../kit/result-table.ts'
import type { ResultTable, SqlValue } from '../kit/result-table.ts'
import { formatValue } from './value-formats.ts'

export interface ChartSeries {
  readonly name: string
  /** Values of the points; undefined without a value. */
  readonly values: readonly (number | undefined)[]
  /** Exact values, for readers. */
  readonly texts: readonly string[]
}

export interface Chart {
  readonly shape: 'line' | 'bars'
  /** Column of the names. */
  readonly by: string
  /** Unique axis labels. */
  readonly points: readonly string[]
  readonly series: readonly ChartSeries[]
}

const maxBars = 60
const maxPoints = 1000
export const maxSeries = 8

/**
 * A column of unique names with one series for each column of numbers; or times, names and numbers,
 * with one series for each name. Undefined for other tables.
 */
export function chartOf(table: ResultTable): Chart | undefined {
  if (table.rows.length < 2) return undefined
  return chartOfColumns(table) ?? chartOfGroups(table)
}

function chartOfColumns(table: ResultTable): Chart | undefined {
  const names = nameColumn(table)
  if (names === -1) return undefined
  const { columns } = table
  const shape = isTimeType(columns[names]?.type ?? '') ? 'line' : 'bars'
  if (table.rows.length > (shape === 'line' ? maxPoints : maxBars)) return undefined
  const rows = shape === 'line' ? sortedBy(table.rows, names) : table.rows
  const numbers = numberColumns(table).filter((column) => column !== names)
  if (numbers.length === 0) return undefined
  return {
    shape,
    by: columns[names]?.name ?? '',
    points: labels(
      rows.map((row) => cellText(row[names] ?? null)),
      shape,
    ),
    series: numbers.slice(0, maxSeries).map((column) => {
      const name = columns[column]?.name ?? ''
      return seriesOf(
        name,
        name,
        rows.map((row) => row[column] ?? null),
      )
    }),
  }
}

/** Such as day, token and volume: the names with the highest sums. */
function chartOfGroups({ columns, rows }: ResultTable): Chart | undefined {
  const times = columns.findIndex(({ type }) => isTimeType(type))
  const groups = columns.findIndex(({ type, isNumber }) => !isNumber && !isTimeType(type))
  const [value] = numberColumns({ columns, rows })
  if (times === -1 || groups === -1 || value === undefined) return undefined
  const cells = new Map<string, Map<string, SqlValue>>()
  const allTimes = new Set<string>()
  for (const row of rows) {
    const [time, group] = [cellText(row[times] ?? null), cellText(row[groups] ?? null)]
    const ofGroup = cells.get(group) ?? new Map<string, SqlValue>()
    if (time === '' || ofGroup.has(time)) return undefined
    allTimes.add(time)
    cells.set(group, ofGroup.set(time, row[value] ?? null))
  }
  if (allTimes.size < 2 || allTimes.size > maxPoints) return undefined
  const total = (ofGroup: ReadonlyMap<string, SqlValue>): number =>
    [...ofGroup.values()].reduce<number>((sum, cell) => sum + Math.abs(Number(cell)), 0)
  const order = [...allTimes].toSorted()
  const largest = [...cells].toSorted(([, a], [, b]) => total(b) - total(a)).slice(0, maxSeries)
  const column = columns[value]?.name ?? ''
  const names = labels(
    largest.map(([group]) => group),
    'bars',
  )
  return {
    shape: 'line',
    by: columns[times]?.name ?? '',
    points: labels(order, 'line'),
    series: largest.map(([, ofGroup], i) =>
      seriesOf(
        names[i] ?? '',
        column,
        order.map((time) => ofGroup.get(time) ?? null),
      ),
    ),
  }
}

function seriesOf(name: string, column: string, cells: readonly SqlValue[]): ChartSeries {
  return {
    name,
    values: cells.map((cell) => (cell === null ? undefined : Number(cell))),
    texts: cells.map((cell) => (cell === null ? 'no value' : formatValue(column, 'numeric', cellText(cell), true))),
  }
}

function numberColumns({ columns, rows }: ResultTable): readonly number[] {
  const isDrawable = (value: SqlValue): boolean => value === null || Number.isFinite(Number(value))
  return [...columns.keys()].filter(
    (i) => columns[i]?.isNumber === true && rows.every((row) => isDrawable(row[i] ?? null)),
  )
}

/** Series that one axis can show: the largest, and those that are not far below it. */
export function comparable(series: readonly ChartSeries[]): ReadonlySet<string> {
  const highest = series.map(({ values }) => Math.max(...values.map((value) => Math.abs(value ?? 0))))
  const [first = 0] = highest
  const isComparable = (value: number): boolean => value <= first * 20 && value >= first / 20
  return new Set(series.filter((_, i) => i === 0 || isComparable(highest[i] ?? 0)).map(({ name }) => name))
}

function sortedBy(rows: ResultTable['rows'], column: number): ResultTable['rows'] {
  const keyed = rows.map((row) => ({ row, key: cellText(row[column] ?? null) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row)
}

function nameColumn({ columns, rows }: ResultTable): number {
  const isName = (i: number): boolean =>
    rows.every((row) => row[i] !== null) && new Set(rows.map((row) => cellText(row[i] ?? null))).size === rows.length
  const find = (test: (type: string, isNumber: boolean) => boolean): number =>
    columns.findIndex(({ type, isNumber }, i) => test(type, isNumber) && isName(i))
  for (const test of [isTimeType, (_: string, isNumber: boolean) => !isNumber]) {
    const found = find(test)
    if (found !== -1) return found
  }
  // The first of several number columns may be the name, such as a height.
  return columns.length > 1 && isName(0) ? 0 : -1
}

const maxNameLength = 16

function labels(names: readonly string[], shape: Chart['shape']): readonly string[] {
  const shorten = shape === 'line' ? timeNames(names) : shortName
  const taken = new Set<string>()
  return names.map((name) => nameOnce(shorten(name), taken))
}

function timeNames(times: readonly string[]): (time: string) => string {
  const isSame = (length: number): boolean => new Set(times.map((time) => time.slice(0, length))).size === 1
  const midnight = /T00:00:00(?:\.0+)?Z?$/
  if (times.every((time) => !time.includes('T') || midnight.test(time))) return (time) => time.replace(midnight, '')
  const from = isSame('2026-03-14'.length) ? '2026-03-14T'.length : isSame('2026'.length) ? '2026-'.length : '20'.length
  return (time) => time.slice(from).replace('T', ' ').replace('Z', '')
}

function shortName(name: string): string {
  if (name === '') return '(empty)'
  return name.length <= maxNameLength ? name : `${name.slice(0, 8)}…${name.slice(-6)}`
}

function nameOnce(name: string, taken: Set<string>): string {
  let once = name
  for (let i = 2; taken.has(once); i++) once = `${name} (${i})`
  taken.add(once)
  return once
}
