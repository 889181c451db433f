import type { TimePoint } from '../kit/time-chart.tsx'
import { cellText, isTimeType } from '../kit/result-table.ts'
import type { SqlValue, ResultTable } from '../kit/result-table.ts'

export interface ChartChoice {
  readonly names: number
  readonly values: readonly number[]
  readonly shape: 'line' | 'bars'
}

const maxBars = 60
const maxPoints = 1000

/** Undefined without a column of unique names and one of non-negative numbers. */
export function chartChoice({ columns, rows }: ResultTable): ChartChoice | undefined {
  if (rows.length < 2) return undefined
  const names = nameColumn({ columns, rows })
  if (names === -1) return undefined
  const shape = isTimeType(columns[names]?.type ?? '') ? 'line' : 'bars'
  if (rows.length > (shape === 'line' ? maxPoints : maxBars)) return undefined
  const values = [...columns.keys()].filter(
    (i) => i !== names && columns[i]?.isNumber === true && rows.every((row) => isDrawable(row[i] ?? null)),
  )
  return values.length === 0 ? undefined : { names, values, shape }
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

function isDrawable(value: SqlValue): boolean {
  if (value === null) return true
  const number = Number(value)
  return Number.isFinite(number) && number >= 0
}

const maxNameLength = 16

/** Times are sorted; other rows keep their order. A row without a number counts as zero. */
export function chartPoints({ rows }: ResultTable, { names, shape }: ChartChoice, value: number): readonly TimePoint[] {
  const named = rows.map((row) => ({ name: cellText(row[names] ?? null), cell: row[value] ?? null }))
  if (shape === 'line') named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const shorten = shape === 'line' ? timeNames(named.map(({ name }) => name)) : shortName
  const taken = new Set<string>()
  return named.map(({ name, cell }) => ({
    date: nameOnce(shorten(name), taken),
    value: Number(cell ?? 0),
    text: cell === null ? 'no value' : cellText(cell),
  }))
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
