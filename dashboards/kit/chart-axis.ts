import { formatCompact } from './formats.ts'

/** Marks of an axis from nought: round, evenly apart, the last at or above the highest value. */
export interface ValueAxis {
  readonly marks: readonly number[]
  readonly top: number
}

const roundSteps = [1, 2, 2.5, 5, 10]

/**
 * @param highest the highest value that is drawn
 * @param isCounted whether the values are whole, so that no mark lies between two of them
 */
export function valueAxis(highest: number, isCounted: boolean): ValueAxis {
  if (!(highest > 0)) return { marks: [0, 1], top: 1 }
  const least = isCounted ? Math.max(1, highest / 4) : highest / 4
  const size = 10 ** Math.floor(Math.log10(least))
  // A little room for 0.1 + 0.2: the step that fits exactly is not passed over.
  const fits = (factor: number): boolean => factor * size >= least * 0.999 && (!isCounted || Number.isInteger(factor * size))
  const step = (roundSteps.find(fits) ?? 10) * size
  const count = Math.max(1, Math.ceil((highest / step) * 0.999))
  return { marks: Array.from({ length: count + 1 }, (_, i) => i * step), top: count * step }
}

/** A mark in as few signs as tell it: `0.25`, `500`, `50k`, `1.2M`. */
export function markText(value: number): string {
  if (value !== 0 && value < 10 && !Number.isInteger(value)) return String(Number(value.toPrecision(2)))
  return formatCompact(value).replace(/(\.\d*?)0+(?=[kMB])/, '$1').replace(/\.(?=[kMB])/, '')
}

/**
 * Which of some points are named below the axis: as many as have room, evenly apart, counted from the last one, since
 * what is newest is looked for first.
 */
export function namedPoints(count: number, width: number, widthOfName: number): readonly number[] {
  if (count === 0) return []
  const most = Math.max(1, Math.floor(width / widthOfName))
  const every = Math.ceil(count / most)
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => count - 1 - i * every).toReversed()
}

const dayNames = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** `2026-03-14` → `Mar 14`, `2026-03-14T09:…` too; what is no day is left as it is. */
export function pointName(date: string): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0]
  return day === undefined ? date : dayNames.format(new Date(`${day}T00:00:00Z`))
}
