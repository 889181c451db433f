import { scaleBand, scaleLinear, scalePoint } from '@visx/scale'
import { formatCompact } from './formats.ts'

/** Where the points of a chart are drawn, in pixels of its picture. */
export interface ChartScales {
  /** The middle of a point, by its place in the row. */
  readonly x: (i: number) => number
  /** The height of a value; what is below nought is drawn as nought. */
  readonly y: (value: number) => number
  /** Of `y`, without its floor. */
  readonly linear: ReturnType<typeof scaleLinear<number>>
  /** From one point to the next. */
  readonly step: number
  readonly top: number
  /** Of nought. */
  readonly floor: number
  /** Round values for the axis, from nought up. */
  readonly marks: readonly number[]
}

/** Edges of the plane in which points are drawn. */
interface ChartPlane {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly floor: number
}

/** About as many marks stand above nought. */
const marksAbove = 3

/**
 * Scales from nought to the highest value.
 * @param shape bars stand in the middle of their own width, a line reaches from edge to edge
 */
export function chartScales(values: readonly number[], shape: 'line' | 'bars', plane: ChartPlane): ChartScales {
  const { left, right, top, floor } = plane
  const highest = Math.max(...values, 0)
  const linear = scaleLinear<number>({
    domain: [0, highest > 0 ? highest : 1],
    range: [floor, top],
    nice: marksAbove,
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
    marks: axisMarks(values, linear.ticks(marksAbove)),
  }
}

/** Between two counts there is nothing to mark. */
function axisMarks(values: readonly number[], ticks: readonly number[]): readonly number[] {
  return values.every((value) => Number.isInteger(value)) ? ticks.filter((tick) => Number.isInteger(tick)) : ticks
}

/** A mark in as few signs as tell it: `0.25`, `500`, `50k`, `1.2M`. */
export function markText(value: number): string {
  if (value !== 0 && value < 10 && !Number.isInteger(value)) return String(Number(value.toPrecision(2)))
  return formatCompact(value)
    .replace(/(\.\d*?)0+(?=[kMB])/, '$1')
    .replace(/\.(?=[kMB])/, '')
}

/**
 * Which of some points are named below the axis: as many as have room, evenly apart, counted from the last one, since
 * what is newest is looked for first.
 */
export function namedPoints(count: number, width: number, widthOfName: number): readonly number[] {
  if (count === 0) return []
  const max = Math.max(1, Math.floor(width / widthOfName))
  const every = Math.ceil(count / max)
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => count - 1 - i * every).toReversed()
}

const dayNames = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** `2026-03-14` → `Mar 14`, `2026-03-14T09:…` too; what is no day is left as it is. */
export function pointName(date: string): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0]
  return day === undefined ? date : dayNames.format(new Date(`${day}T00:00:00Z`))
}
