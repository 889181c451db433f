import { scaleBand, scaleLinear, scalePoint } from '@visx/scale'
import { formatCompact } from './formats.ts'

/** Positions in pixels. */
export interface ChartScales {
  readonly x: (i: number) => number
  readonly y: (value: number) => number
  readonly linear: ReturnType<typeof scaleLinear<number>>
  readonly step: number
  readonly top: number
  readonly floor: number
  readonly ticks: readonly number[]
}

interface ChartPlane {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly floor: number
}

const tickCount = 3

/** Values start at 0. Bars are centered in their bands; a line spans the full width. */
export function chartScales(values: readonly number[], shape: 'line' | 'bars', plane: ChartPlane): ChartScales {
  const { left, right, top, floor } = plane
  const highest = Math.max(...values, 0)
  const linear = scaleLinear<number>({
    domain: [0, highest > 0 ? highest : 1],
    range: [floor, top],
    nice: tickCount,
  })
  const across = { domain: values.map((_, i) => i), range: [left, right] as [number, number] }
  const scale = shape === 'bars' ? scaleBand<number>(across) : scalePoint<number>(across)
  return {
    x: (i) => (scale(i) ?? left) + scale.bandwidth() / 2,
    y: (value) => linear(Math.max(0, value)),
    linear,
    step: scale.step(),
    top,
    floor,
    ticks: axisTicks(values, linear.ticks(tickCount)),
  }
}

/** Counts have no ticks at fractions. */
function axisTicks(values: readonly number[], ticks: readonly number[]): readonly number[] {
  return values.every((value) => Number.isInteger(value)) ? ticks.filter((tick) => Number.isInteger(tick)) : ticks
}

/** `0.25`, `500`, `50k`, `1.2M`. */
export function tickLabel(value: number): string {
  if (value !== 0 && value < 10 && !Number.isInteger(value)) return String(Number(value.toPrecision(2)))
  return formatCompact(value)
    .replace(/(\.\d*?)0+(?=[kMB])/, '$1')
    .replace(/\.(?=[kMB])/, '')
}

export function labelledPoints(count: number, width: number, labelWidth: number): readonly number[] {
  if (count === 0) return []
  const maxLabels = Math.max(1, Math.floor(width / labelWidth))
  const every = Math.ceil(count / maxLabels)
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => count - 1 - i * every).toReversed()
}

const dayNames = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** `2026-03-14` and `2026-03-14T09:…` → `Mar 14`; others unchanged. */
export function pointLabel(date: string): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0]
  return day === undefined ? date : dayNames.format(new Date(`${day}T00:00:00Z`))
}
