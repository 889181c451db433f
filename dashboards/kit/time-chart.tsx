import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { formatCompact } from './formats.ts'

export interface TimePoint {
  /** `2026-03-14` or longer. */
  readonly date: string
  readonly value: number
  /** The value as it is said, exact. */
  readonly text: string
}

export interface TimeChartProps {
  readonly label: string
  /** Oldest first. */
  readonly points: readonly TimePoint[]
  /** A line for what goes on from day to day, bars for what is counted each day. */
  readonly shape?: 'line' | 'bars'
  readonly height?: number
}

const margin = { left: 46, right: 10, top: 10, bottom: 22 }

/**
 * Values over time, from nought. A point is looked at with the pointer or with the arrow keys, and is then said in words;
 * all of them are in a table for who does not see the picture.
 */
export function TimeChart({ label, points, shape = 'line', height = 180 }: TimeChartProps): ReactNode {
  const [at, setAt] = useState<number>()
  const id = useId()
  const figure = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    if (figure.current !== null) observer.observe(figure.current)
    return () => observer.disconnect()
  }, [])
  const top = niceTop(Math.max(...points.map(({ value }) => value), 0))
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom }
  const step = inner.width / Math.max(1, shape === 'bars' ? points.length : points.length - 1)
  const x = (i: number): number => margin.left + (shape === 'bars' ? (i + 0.5) * step : points.length < 2 ? inner.width / 2 : i * step)
  const y = (value: number): number => margin.top + inner.height * (1 - value / top)
  const look = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect()
    const i = (((event.clientX - box.left) / box.width) * width - margin.left) / step - (shape === 'bars' ? 0.5 : 0)
    setAt(Math.max(0, Math.min(points.length - 1, Math.round(i))))
  }
  const move = (event: KeyboardEvent): void => {
    const from = at ?? points.length - 1
    const targets: Record<string, number> = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: points.length - 1 }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    setAt(Math.max(0, Math.min(points.length - 1, target)))
  }
  const seen = at === undefined ? points.at(-1) : points[at]
  const line = points.map(({ value }, i) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('L')
  const floor = y(0)
  const named = [0, Math.floor((points.length - 1) / 2), points.length - 1].filter((i, n, all) => all.indexOf(i) === n)
  return (
    <figure ref={figure} className="time-chart">
      <figcaption>
        <span id={id}>{label}</span>
        <span>
          {seen !== undefined && (
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
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={at ?? Math.max(0, points.length - 1)}
        aria-valuetext={seen === undefined ? 'nothing' : `${seen.date}: ${seen.text}`}
        onPointerMove={look}
        onPointerLeave={() => setAt(undefined)}
        onKeyDown={move}
        onBlur={() => setAt(undefined)}
      >
        <svg height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {[0, 0.5, 1].map((share) => (
            <g key={share}>
              <path className="grid" d={`M${margin.left} ${y(top * share)}H${width - margin.right}`} />
              <text x={margin.left - 6} y={y(top * share) + 4} textAnchor="end">
                {axisText(top * share)}
              </text>
            </g>
          ))}
          {named.map((i, n) => (
            <text
              key={i}
              x={x(i)}
              y={height - 5}
              textAnchor={points.length < 2 ? 'middle' : n === 0 ? 'start' : n === named.length - 1 ? 'end' : 'middle'}
            >
              {points[i]?.date.slice(0, 10)}
            </text>
          ))}
          {shape === 'bars'
            ? points.map(({ date, value }, i) => (
                <rect
                  key={date}
                  className={i === at ? 'bar-mark seen' : 'bar-mark'}
                  x={x(i) - Math.min(step * 0.38, 24)}
                  width={Math.min(step * 0.76, 48)}
                  y={y(value)}
                  height={Math.max(0, floor - y(value))}
                  rx={Math.min(2, step / 6)}
                />
              ))
            : points.length > 0 && (
                <>
                  <path className="area" d={`M${x(0)} ${floor}L${line}L${x(points.length - 1)} ${floor}Z`} />
                  <path className="line" d={`M${line}`} />
                  {points.length === 1 && <circle className="point" cx={x(0)} cy={y(points[0]?.value ?? 0)} r="4" />}
                </>
              )}
          {at !== undefined && seen !== undefined && shape === 'line' && (
            <>
              <path className="cross" d={`M${x(at)} ${margin.top}V${floor}`} />
              <circle className="point" cx={x(at)} cy={y(seen.value)} r="4" />
            </>
          )}
        </svg>
      </div>
      {/* A table keeps its height whatever it is told: hidden alone, it would lengthen the page. */}
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
    </figure>
  )
}

function axisText(value: number): string {
  return value !== 0 && value < 10 && !Number.isInteger(value) ? String(Number(value.toPrecision(2))) : formatCompact(value)
}

/** The next of 1, 2, 5, 10, 20, … so that the marks of the axis are round. */
function niceTop(highest: number): number {
  if (highest <= 0) return 1
  const size = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 5, 10].find((factor) => factor * size >= highest) ?? 10) * size
}
