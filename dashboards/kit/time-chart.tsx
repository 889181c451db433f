import { useParentSize } from '@visx/responsive'
import { AreaClosed, Bar, LinePath } from '@visx/shape'
import { useId, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { tickLabel, labelledPoints, pointLabel, chartScales } from './chart-scales.ts'
import type { ChartScales } from './chart-scales.ts'

export interface TimePoint {
  /** `2026-03-14` or longer, or another unique axis label. */
  readonly date: string
  readonly value: number
  readonly text: string
}

interface TimeChartProps {
  readonly label: string
  readonly points: readonly TimePoint[]
  readonly shape?: 'line' | 'bars'
  readonly height?: number
  /** The period of the last point has not ended. */
  readonly isLastPartial?: boolean
}

const margin = { right: 10, top: 10, bottom: 22 }
const charWidth = 6.4
const minLeft = 36

/** Starts at 0. A hidden table lists all points for screen readers. */
export function TimeChart({
  label,
  points: given,
  shape = 'line',
  height = 180,
  isLastPartial = false,
}: TimeChartProps): ReactNode {
  const points = isLastPartial
    ? given.map((point, i) => (i < given.length - 1 ? point : { ...point, text: `${point.text}${suffixes[shape]}` }))
    : given
  const [selected, setSelected] = useState<number>()
  const id = useId()
  const { parentRef, width } = useParentSize<HTMLElement>({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const last = points.length - 1
  const at = selected === undefined || selected > last ? undefined : selected
  const shown = points[at ?? last]
  const values = points.map(({ value }) => value)
  const plane = { right: width - margin.right, top: margin.top, floor: height - margin.bottom }
  const longestTick = Math.max(
    ...chartScales(values, shape, { ...plane, left: 0 }).ticks.map((tick) => tickLabel(tick).length),
  )
  const left = Math.min(Math.max(minLeft, Math.ceil(longestTick * charWidth) + 10), plane.right - 1)
  const scales = chartScales(values, shape, { ...plane, left })
  const { x, y, step, ticks } = scales
  const selectAt = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>): void => {
    const box = currentTarget.getBoundingClientRect()
    const i = Math.round((((clientX - box.left) / box.width) * width - x(0)) / step)
    setSelected(last < 0 ? undefined : Math.max(0, Math.min(last, i)))
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
    setSelected(Math.max(0, Math.min(last, target)))
  }
  const maxNameWidth = Math.max(...points.map(({ date }) => pointLabel(date).length), 1) * charWidth
  const nameWidth = maxNameWidth + Math.max(18, maxNameWidth / 2 - 2)
  const Marks = shape === 'bars' ? Bars : Line
  return (
    <figure ref={parentRef} className="time-chart">
      <figcaption>
        <span id={id}>{label}</span>
        <span>
          {shown === undefined ? (
            <span className="soft">No data yet</span>
          ) : (
            <>
              <b>{shown.text}</b> <span className="soft">{shown.date}</span>
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
        aria-valuetext={shown === undefined ? 'No data yet' : `${shown.date}: ${shown.text}`}
        onPointerDown={selectAt}
        onPointerMove={selectAt}
        onPointerLeave={() => setSelected(undefined)}
        onKeyDown={move}
        onBlur={() => setSelected(undefined)}
      >
        <svg height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <path className={tick === 0 ? 'grid floor' : 'grid'} d={`M${left} ${y(tick)}H${plane.right}`} />
              <text x={left - 6} y={y(tick) + 4} textAnchor="end">
                {tickLabel(tick)}
              </text>
            </g>
          ))}
          {labelledPoints(points.length, plane.right - left, nameWidth).map((i) => (
            <PointName key={i} x={x(i)} y={height - 5} right={width} text={pointLabel(points[i]?.date ?? '')} />
          ))}
          {points.length > 0 && <Marks scales={scales} values={values} at={at} isLastPartial={isLastPartial} />}
        </svg>
      </div>
      <PointTable label={label} points={points} />
    </figure>
  )
}

/** Suffix of a partial last point: lines show levels, bars amounts. */
const suffixes = { line: ' now', bars: ' so far' } as const

interface PointNameProps {
  readonly x: number
  readonly y: number
  readonly right: number
  readonly text: string
}

function PointName({ x, y, right, text }: PointNameProps): ReactNode {
  const half = (text.length * charWidth) / 2
  return (
    <text x={Math.max(half, Math.min(right - half, x))} y={y} textAnchor="middle">
      {text}
    </text>
  )
}

/** Clipped by a wrapper because a table keeps its height. */
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
  readonly at: number | undefined
  readonly isLastPartial: boolean
}

const maxBarWidth = 40

function Bars({ scales: { x, y, step, floor }, values, at, isLastPartial }: ChartMarksProps): ReactNode {
  const width = Math.max(1, Math.min(step * 0.72, maxBarWidth))
  return (
    <g className={at === undefined ? 'bars' : 'bars has-selection'}>
      {values.map((value, i) => {
        const height = floor - y(value)
        const names = [i === at ? 'selected' : '', isLastPartial && i === values.length - 1 ? 'partial' : '']
        const className = names.filter((name) => name !== '').join(' ')
        return (
          <Bar
            key={i}
            {...(className === '' ? {} : { className })}
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

function Line({ scales: { x, y, linear, top, floor }, values, at }: ChartMarksProps): ReactNode {
  const data = [...values]
  const across = (_: number, i: number): number => x(i)
  const shown = at ?? (values.length === 1 ? 0 : undefined)
  const value = shown === undefined ? undefined : values[shown]
  return (
    <>
      <AreaClosed className="area" data={data} x={across} y={y} yScale={linear} />
      <LinePath className="line" data={data} x={across} y={y} />
      {shown !== undefined && value !== undefined && (
        <>
          {at !== undefined && <path className="cross" d={`M${x(shown)} ${top}V${floor}`} />}
          <circle className="point" cx={x(shown)} cy={y(value)} r="4" />
        </>
      )}
    </>
  )
}
