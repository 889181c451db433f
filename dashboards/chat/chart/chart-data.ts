import { asRecord, asText } from '../tools/tool-outcome.ts'

export const chartKinds = ['bar', 'line', 'pie', 'doughnut', 'horizontalBar'] as const
export type ChartKind = (typeof chartKinds)[number]

/** What a chart is drawn of; every set has a value for each label. */
export interface ChartData {
  readonly kind: ChartKind
  readonly title: string
  readonly labels: readonly string[]
  readonly sets: readonly { readonly label: string; readonly values: readonly number[] }[]
}

/** More cannot be told apart, nor be drawn while an answer is being read. */
const mostSets = 8
const mostLabels = 2000

/**
 * Reads what `createChart` gave. What a model wrote is taken as data only, and anything that is no chart is none:
 * @returns undefined where lengths do not fit, where there is nothing to draw, or where a number is none
 */
export function readChart(output: unknown): ChartData | undefined {
  const { chartType, title, labels, datasets } = asRecord(output)
  const kind = chartKinds.find((name) => name === chartType)
  if (kind === undefined || !Array.isArray(labels) || !Array.isArray(datasets)) return undefined
  if (labels.length === 0 || labels.length > mostLabels || datasets.length === 0 || datasets.length > mostSets)
    return undefined
  if (!labels.every((label) => typeof label === 'string' || typeof label === 'number')) return undefined
  const sets = datasets.map((set: unknown, i) => ({
    label: asText(asRecord(set)['label']) ?? `Series ${i + 1}`,
    values: asRecord(set)['data'],
  }))
  if (!sets.every((set): set is { label: string; values: number[] } => isRow(set.values, labels.length)))
    return undefined
  return { kind, title: asText(title) ?? 'Chart', labels: labels.map(String), sets }
}

function isRow(values: unknown, length: number): values is number[] {
  return (
    Array.isArray(values) &&
    values.length === length &&
    values.every((value) => typeof value === 'number' && Number.isFinite(value))
  )
}

const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 8 })

/** A value of a chart as it is said: `1,234.5`. */
export function valueText(value: number): string {
  return exact.format(value)
}

export interface Slice {
  readonly label: string
  readonly value: number
  /** Which colour it has. */
  readonly place: number
}

const mostSlices = 8

/** The slices of a pie: the largest as they are, the rest as one; none where a value is below nought or all are nought. */
export function pieSlices({ labels, sets }: ChartData): readonly Slice[] {
  const values = sets[0]?.values ?? []
  if (values.some((value) => value < 0) || values.every((value) => value === 0)) return []
  const slices = values.map((value, i) => ({ label: labels[i] ?? '', value })).filter(({ value }) => value > 0)
  if (slices.length <= mostSlices) return slices.map((slice, place) => ({ ...slice, place }))
  const sorted = slices.toSorted((a, b) => b.value - a.value)
  const rest = sorted.slice(mostSlices - 1)
  const others = { label: `${rest.length} others`, value: rest.reduce((sum, { value }) => sum + value, 0) }
  return [...sorted.slice(0, mostSlices - 1), others].map((slice, place) => ({ ...slice, place }))
}
