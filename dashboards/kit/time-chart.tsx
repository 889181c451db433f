import { useParentSize } from '@visx/responsive'
import { AreaClosed, Bar, LinePath } from '@visx/shape'
import { useId, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { markText, namedPoints, pointName, chartScales } from './chart-scales.ts'
import type { ChartScales } from './chart-scales.ts'

export interface TimePoint {
  /** `2026-03-14` or longer; or another name of the point, short enough for an axis. Each once. */
  readonly date: string
  readonly value: number
  /** The value as it is said, exact. */
  readonly text: string
}

interface TimeChartProps {
  readonly label: string
  /** Oldest first. */
  readonly points: readonly TimePoint[]
  /** A line for what goes on from day to day, bars for what is counted each day. */
  readonly shape?: 'line' | 'bars'
  readonly height?: number
}

const margin = { right: 10, top: 10, bottom: 22 }
const widthOfSign = 6.4
/** So that charts below each other mostly begin at the same place. */
const minLeft = 36

/**
 * Values over time, from nought. A point is looked at with the pointer or with the arrow keys, and is then said in
 * words; all of them are in a table for who does not see the picture.
 */
export function TimeChart({ label, points, shape = 'line', height = 180 }: TimeChartProps): ReactNode {
  const [looked, setLooked] = useState<number>()
  const id = useId()
  const { parentRef, width } = useParentSize<HTMLElement>({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const last = points.length - 1
  // There may be fewer points than when one looked.
  const at = looked === undefined || looked > last ? undefined : looked
  const seen = points[at ?? last]
  const values = points.map(({ value }) => value)
  const plane = { right: width - margin.right, top: margin.top, floor: height - margin.bottom }
  const longestMark = Math.max(
    ...chartScales(values, shape, { ...plane, left: 0 }).marks.map((mark) => markText(mark).length),
  )
  const left = Math.min(Math.max(minLeft, Math.ceil(longestMark * widthOfSign) + 10), plane.right - 1)
  const scales = chartScales(values, shape, { ...plane, left })
  const { x, y, step, marks } = scales
  const look = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>): void => {
    const box = currentTarget.getBoundingClientRect()
    const i = Math.round((((clientX - box.left) / box.width) * width - x(0)) / step)
    setLooked(last < 0 ? undefined : Math.max(0, Math.min(last, i)))
  }
  const move = (event: KeyboardEvent): void => {
    const from = at ?? last
    const targets: Record<string, number> = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - 7,
      PageUp: from + 7,
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    if (target === undefined || last < 0) return
    event.preventDefault()
    setLooked(Math.max(0, Math.min(last, target)))
  }
  const widestName = Math.max(...points.map(({ date }) => pointName(date).length), 1) * widthOfSign
  // The last name may be moved by half of itself, and shall not stand on the one before.
  const nameWidth = widestName + Math.max(18, widestName / 2 - 2)
  const Marks = shape === 'bars' ? Bars : Line
  return (
    <figure ref={parentRef} className="time-chart">
      <figcaption>
        <span id={id}>{label}</span>
        <span>
          {seen === undefined ? (
            <span className="soft">nothing so far</span>
          ) : (
            <>
              <b>{seen.text}</b> <span className="soft">{seen.date}</span>
            </>
          )}
        </span>
      </figcaption>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={at ?? Math.max(0, last)}
        aria-valuetext={seen === undefined ? 'nothing so far' : `${seen.date}: ${seen.text}`}
        onPointerDown={look}
        onPointerMove={look}
        onPointerLeave={() => setLooked(undefined)}
        onKeyDown={move}
        onBlur={() => setLooked(undefined)}
      >
        <svg height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {marks.map((mark) => (
            <g key={mark}>
              <path className={mark === 0 ? 'grid floor' : 'grid'} d={`M${left} ${y(mark)}H${plane.right}`} />
              <text x={left - 6} y={y(mark) + 4} textAnchor="end">
                {markText(mark)}
              </text>
            </g>
          ))}
          {namedPoints(points.length, plane.right - left, nameWidth).map((i) => (
            <PointName key={i} x={x(i)} y={height - 5} right={width} text={pointName(points[i]?.date ?? '')} />
          ))}
          {points.length > 0 && <Marks scales={scales} values={values} at={at} />}
        </svg>
      </div>
      <PointTable label={label} points={points} />
    </figure>
  )
}

interface PointNameProps {
  readonly x: number
  readonly y: number
  /** Where the picture ends. */
  readonly right: number
  readonly text: string
}

/** The name of a point below it, moved where it would stand out of the picture. */
function PointName({ x, y, right, text }: PointNameProps): ReactNode {
  const half = (text.length * widthOfSign) / 2
  return (
    <text x={Math.max(half, Math.min(right - half, x))} y={y} textAnchor="middle">
      {text}
    </text>
  )
}

/** For screen readers. Clipped by a wrapper: a table keeps its height, and would lengthen the page. */
function PointTable({ label, points }: Pick<TimeChartProps, 'label' | 'points'>): ReactNode {
  return (
    <div className="visually-hidden">
      <table>
        <caption>{label}</caption>
        <tbody>
          {points.map(({ date, text }) => (
            <tr key={date}>
              <th scope="row">{date}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ChartMarksProps {
  readonly scales: ChartScales
  readonly values: readonly number[]
  /** The point that is looked at. */
  readonly at: number | undefined
}

const widestBar = 40

/** What is counted each day: a bar for each. */
function Bars({ scales: { x, y, step, floor }, values, at }: ChartMarksProps): ReactNode {
  const width = Math.max(1, Math.min(step * 0.72, widestBar))
  return (
    <g className={at === undefined ? 'bars' : 'bars looked-at'}>
      {values.map((value, i) => {
        const height = floor - y(value)
        return (
          <Bar
            key={i}
            {...(i === at ? { className: 'seen' } : {})}
            x={x(i) - width / 2}
            width={width}
            y={floor - height}
            height={height}
            rx={Math.min(3, width / 4, height / 2)}
          />
        )
      })}
    </g>
  )
}

/** What goes on from day to day: a line, with a point where one looks. */
function Line({ scales: { x, y, linear, top, floor }, values, at }: ChartMarksProps): ReactNode {
  const data = [...values]
  const across = (_: number, i: number): number => x(i)
  const seen = at ?? (values.length === 1 ? 0 : undefined)
  const value = seen === undefined ? undefined : values[seen]
  return (
    <>
      <AreaClosed className="area" data={data} x={across} y={y} yScale={linear} />
      <LinePath className="line" data={data} x={across} y={y} />
      {seen !== undefined && value !== undefined && (
        <>
          {at !== undefined && <path className="cross" d={`M${x(seen)} ${top}V${floor}`} />}
          <circle className="point" cx={x(seen)} cy={y(value)} r="4" />
        </>
      )}
    </>
  )
}
