import type { ReactNode } from 'react'
import { AreaClosed, Bar, LinePath } from '@visx/shape'
import type { ChartScales } from './chart-scales.ts'

export interface ChartMarksProps {
  readonly scales: ChartScales
  readonly values: readonly number[]
  /** The point that is looked at. */
  readonly at: number | undefined
}

const widestBar = 40

/** What is counted each day: a bar for each. */
export function Bars({ scales: { x, y, step, floor }, values, at }: ChartMarksProps): ReactNode {
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
export function Line({ scales: { x, y, linear, top, floor }, values, at }: ChartMarksProps): ReactNode {
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
