import { scaleBand, scaleLinear, scalePoint } from '@visx/scale'
import { asRecord, asText } from './tool-outcome.ts'

const chartKinds = ['bar', 'line', 'pie', 'doughnut', 'horizontalBar'] as const
type ChartKind = (typeof chartKinds)[number]

export interface ChartData {
  readonly kind: ChartKind
  readonly title: string
  readonly labels: readonly string[]
  readonly sets: readonly { readonly label: string; readonly values: readonly number[] }[]
}

const maxSets = 8
const maxLabels = 2000

/** Validates the output of `createChart`, which the model controls. */
export function readChart(output: unknown): ChartData | undefined {
  const { chartType, title, labels, datasets } = asRecord(output)
  const kind = chartKinds.find((name) => name === chartType)
  if (kind === undefined || !Array.isArray(labels) || !Array.isArray(datasets)) return undefined
  if (labels.length === 0 || labels.length > maxLabels || datasets.length === 0 || datasets.length > maxSets)
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

export function valueText(value: number): string {
  return exact.format(value)
}

interface Slice {
  readonly label: string
  readonly value: number
  readonly colour: number
}

const maxSlices = 8

/** Empty if a value is negative or all are zero. */
export function pieSlices({ labels, sets }: ChartData): readonly Slice[] {
  const values = sets[0]?.values ?? []
  if (values.some((value) => value < 0) || values.every((value) => value === 0)) return []
  const slices = values.map((value, i) => ({ label: labels[i] ?? '', value })).filter(({ value }) => value > 0)
  if (slices.length <= maxSlices) return slices.map((slice, colour) => ({ ...slice, colour }))
  const sorted = slices.toSorted((a, b) => b.value - a.value)
  const rest = sorted.slice(maxSlices - 1)
  const others = { label: `${rest.length} others`, value: rest.reduce((sum, { value }) => sum + value, 0) }
  return [...sorted.slice(0, maxSlices - 1), others].map((slice, colour) => ({ ...slice, colour }))
}

interface PlotScales {
  readonly x: (i: number) => number
  readonly y: (value: number) => number
  readonly step: number
  readonly band: number
  readonly base: number
  readonly marks: readonly number[]
}

interface Plane {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly floor: number
}

const marksAbout = 4
/** A line chart starts above zero if its values span less than this share of the maximum. */
const flatShare = 0.4

export function plotScales(
  sets: readonly (readonly number[])[],
  shape: 'bar' | 'line',
  { left, right, top, floor }: Plane,
): PlotScales {
  const all = sets.flat()
  const [domain, base] = valueRange(all, shape)
  const y = scaleLinear<number>({ domain: [...domain], range: [floor, top], nice: marksAbout })
  const places = (sets[0] ?? []).map((_, i) => i)
  const range: [number, number] = [left, right]
  const band = scaleBand<number>({ domain: places, range, paddingInner: 0.28, paddingOuter: 0.14 })
  const point = scalePoint<number>({ domain: places, range, padding: 0.1 })
  const marks = y.ticks(marksAbout)
  return {
    x: shape === 'bar' ? (i) => (band(i) ?? left) + band.bandwidth() / 2 : (i) => point(i) ?? left,
    y: (value) => y(value),
    step: shape === 'bar' ? band.step() : point.step(),
    band: shape === 'bar' ? band.bandwidth() : point.step(),
    base: y(base),
    marks: all.every((value) => Number.isInteger(value)) ? marks.filter((mark) => Number.isInteger(mark)) : marks,
  }
}

function valueRange(values: readonly number[], shape: 'bar' | 'line'): readonly [readonly [number, number], number] {
  const lowest = values.reduce((min, value) => Math.min(min, value), Infinity)
  const highest = values.reduce((max, value) => Math.max(max, value), -Infinity)
  const isFlat = shape === 'line' && lowest > 0 && (highest - lowest) / highest < flatShare
  if (isFlat && highest > lowest) return [[lowest - (highest - lowest) * 0.1, highest], lowest]
  const from = Math.min(0, lowest)
  const to = Math.max(0, highest)
  return [from === to ? [0, 1] : [from, to], 0]
}

interface AxisLabels {
  readonly places: readonly number[]
  readonly characters: number
}

const characterWidth = 6.4
const gap = 12
const maxLabelCharacters = 18
const minLabelCharacters = 6

export function axisLabels(labels: readonly string[], width: number): AxisLabels {
  const characters = Math.min(
    maxLabelCharacters,
    labels.reduce((max, label) => Math.max(max, Array.from(label).length), 1),
  )
  const places = [...labels.keys()]
  const each = width / labels.length
  if (characters * characterWidth + gap <= each) return { places, characters }
  const fitting = Math.floor((each - gap) / characterWidth)
  if (fitting >= Math.min(characters, minLabelCharacters)) return { places, characters: fitting }
  const every = Math.ceil((Math.min(characters, 10) * characterWidth + gap) / each)
  return { places: places.filter((i) => i % every === 0), characters: Math.min(characters, 10) }
}

/** Ids are shortened in the middle, since both ends identify them. */
export function cutText(text: string, characters: number): string {
  const signs = Array.from(text)
  if (signs.length <= characters) return text
  const end = /\s/.test(text) || characters < 9 ? 0 : Math.floor((characters - 1) / 3)
  return `${signs
    .slice(0, Math.max(1, characters - 1 - end))
    .join('')
    .trimEnd()}…${end === 0 ? '' : signs.slice(-end).join('')}`
}
