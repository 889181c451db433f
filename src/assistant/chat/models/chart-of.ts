import type { Chart, ChartType } from '../tools/create-chart.ts'
import type { ResultTable } from './result-table.ts'

export interface ChartRequest {
  readonly title: string
  readonly isShares: boolean
}

type Kind = 'time' | 'number' | 'text'

interface Column {
  readonly name: string
  readonly kind: Kind
}

const maxCategories = 12
const maxTimes = 120
const maxSlices = 8
const maxPieSlices = 4
/** Longer labels go beside horizontal bars. */
const maxUprightCharacters = 10
const maxUprightBars = 8
const maxSizeRatio = 50

const naming = /(?:^|_)(?:id|height|epoch|index|hash|hour|code)$/
const spoken = ['symbol', 'label', 'name']

/**
 * Bars over time, or lines for several series; a pie or ring for shares; else bars. Undefined if no
 * chart suits.
 */
export function chartOf(
  { columns: names, rows, isCut }: ResultTable,
  { title, isShares }: ChartRequest,
): Chart | undefined {
  if (rows.length < 2) return undefined
  const columns = names.map((name): Column => ({
    name,
    kind: kindOf(
      name,
      rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined),
    ),
  }))
  const numbers = columns.filter(({ kind }) => kind === 'number').map(({ name }) => name)
  const [first] = numbers
  if (first === undefined) return undefined
  const texts = columns.filter(({ kind }) => kind === 'text').map(({ name }) => name)
  const time = columns.find(({ kind }) => kind === 'time')?.name
  if (time !== undefined && texts.length === 0) return overTime(rows, { title, time, numbers })
  const labels = labelsOf(rows, texts)
  if (labels === undefined) return undefined
  const data = rows.map((row) => Number(row[first] ?? 0))
  const canBeShares =
    isShares &&
    !isCut &&
    rows.length <= maxSlices &&
    data.every((value) => value >= 0) &&
    data.some((value) => value > 0)
  const shown = canBeShares ? rows.length : maxCategories
  return {
    chartType: canBeShares ? (rows.length <= maxPieSlices ? 'pie' : 'doughnut') : barsFor(labels),
    title,
    labels: labels.slice(0, shown),
    datasets: [{ label: spelled(first), data: data.slice(0, shown) }],
  }
}

function overTime(
  rows: ResultTable['rows'],
  { title, time, numbers }: { readonly title: string; readonly time: string; readonly numbers: readonly string[] },
): Chart | undefined {
  const dated = rows
    .filter((row) => row[time] !== null)
    .toSorted((a, b) => String(a[time]).localeCompare(String(b[time])))
    .slice(-maxTimes)
  const times = dated.map((row) => String(row[time]))
  if (new Set(times).size < 2 || new Set(times).size < times.length) return undefined
  const areDays = times.every((text) => /^\d{4}-\d\d-\d\d(?:T00:00:00(?:\.0+)?Z)?$/.test(text))
  const series = numbers.map((name) => ({ name, data: dated.map((row) => Number(row[name] ?? 0)) }))
  const size = largest(series[0]?.data ?? [])
  const alike = series.filter(
    ({ data }, i) => i === 0 || (largest(data) >= size / maxSizeRatio && largest(data) <= size * maxSizeRatio),
  )
  return {
    chartType: alike.length > 1 ? 'line' : 'bar',
    title,
    labels: times.map((text) => (areDays ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' '))),
    datasets: alike.map(({ name, data }) => ({ label: spelled(name), data })),
  }
}

function labelsOf(rows: ResultTable['rows'], texts: readonly string[]): string[] | undefined {
  const candidates = [
    ...spoken.filter((name) => texts.includes(name)).map((name) => [name]),
    ...texts.map((name) => [name]),
    texts,
  ]
  for (const names of candidates) {
    if (names.length === 0 || rows.some((row) => names.some((name) => (row[name] ?? '') === ''))) continue
    const whole = rows.map((row) => names.map((name) => String(row[name])).join(', '))
    if (new Set(whole).size < whole.length) continue
    const short = whole.map(shortened)
    return whole.map((label, i) =>
      short.indexOf(short[i] ?? '') === short.lastIndexOf(short[i] ?? '') ? (short[i] ?? label) : label,
    )
  }
  return undefined
}

function shortened(label: string): string {
  const contract = /^A\.[\da-f]{16}\.([\w.]+)$/.exec(label)?.[1]
  if (contract !== undefined) return contract
  return /^(?:0x)?[\da-f]{16,}$/.test(label) ? `${label.slice(0, 10)}…` : label.slice(0, 60)
}

function barsFor(labels: readonly string[]): ChartType {
  const isUpright = labels.length <= maxUprightBars && labels.every((label) => label.length <= maxUprightCharacters)
  return isUpright ? 'bar' : 'horizontalBar'
}

function kindOf(name: string, values: readonly unknown[]): Kind {
  if (values.length > 0 && values.every((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:T|$)/.test(value)))
    return 'time'
  return values.length > 0 && !naming.test(name) && values.every(isNumber) ? 'number' : 'text'
}

/** Large and exact numbers are strings. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
}

function largest(data: readonly number[]): number {
  return Math.max(0, ...data.map(Math.abs))
}

function spelled(column: string): string {
  return column.replaceAll('_', ' ')
}
