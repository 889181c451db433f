import { formatCompact } from './formats.ts'

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
