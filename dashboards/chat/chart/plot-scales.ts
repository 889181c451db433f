import { scaleBand, scaleLinear, scalePoint } from '@visx/scale'

/** Where the values of a chart are drawn, in pixels of its picture. */
export interface PlotScales {
  /** The middle of a label, by its place. */
  readonly x: (i: number) => number
  readonly y: (value: number) => number
  /** From one label to the next. */
  readonly step: number
  /** Room for the bars of one label. */
  readonly band: number
  /** Where bars stand: at nought. */
  readonly base: number
  readonly marks: readonly number[]
}

export interface Plane {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly floor: number
}

const marksAbout = 4
/** A line whose values lie closer together than this share of the highest does not begin at nought: it would be flat. */
const flatShare = 0.4

/** Scales for values of any sign. Bars stand at nought; a line may begin elsewhere, which its axis tells. */
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

/** From where to where an axis goes, and where its base is. */
function valueRange(values: readonly number[], shape: 'bar' | 'line'): readonly [readonly [number, number], number] {
  const lowest = values.reduce((least, value) => Math.min(least, value), Infinity)
  const highest = values.reduce((most, value) => Math.max(most, value), -Infinity)
  const isFlat = shape === 'line' && lowest > 0 && (highest - lowest) / highest < flatShare
  if (isFlat && highest > lowest) return [[lowest - (highest - lowest) * 0.1, highest], lowest]
  const from = Math.min(0, lowest)
  const to = Math.max(0, highest)
  return [from === to ? [0, 1] : [from, to], 0]
}

/** Labels of an axis: which are written, and with how many signs. */
export interface AxisLabels {
  readonly places: readonly number[]
  readonly characters: number
}

const signWidth = 6.4
const gap = 12
const longest = 18
const shortest = 6

/** All labels where they have room, shortened to what one takes where that leaves enough of them; else some of them, from the first on. */
export function axisLabels(labels: readonly string[], width: number): AxisLabels {
  const characters = Math.min(
    longest,
    labels.reduce((most, label) => Math.max(most, Array.from(label).length), 1),
  )
  const places = [...labels.keys()]
  const each = width / labels.length
  if (characters * signWidth + gap <= each) return { places, characters }
  const fitting = Math.floor((each - gap) / signWidth)
  if (fitting >= Math.min(characters, shortest)) return { places, characters: fitting }
  const every = Math.ceil((Math.min(characters, 10) * signWidth + gap) / each)
  return { places: places.filter((i) => i % every === 0), characters: Math.min(characters, 10) }
}

/** A text cut to so many signs: at its end, or where it is an id, which is told by both its ends, in the middle. */
export function cutText(text: string, characters: number): string {
  const signs = Array.from(text)
  if (signs.length <= characters) return text
  const end = /\s/.test(text) || characters < 9 ? 0 : Math.floor((characters - 1) / 3)
  return `${signs
    .slice(0, Math.max(1, characters - 1 - end))
    .join('')
    .trimEnd()}…${end === 0 ? '' : signs.slice(-end).join('')}`
}
