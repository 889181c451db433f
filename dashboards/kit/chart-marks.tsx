import type { ReactNode } from 'react'

/** Where things are drawn, in pixels. */
export interface ChartPlaces {
  readonly xs: readonly number[]
  readonly ys: readonly number[]
  /** Of nought. */
  readonly floor: number
  readonly top: number
  /** From one point to the next. */
  readonly step: number
}

export interface ChartMarksProps {
  readonly places: ChartPlaces
  /** The point that is looked at. */
  readonly at: number | undefined
}

const widestBar = 40

/** What is counted each day: a bar for each. */
export function Bars({ places: { xs, ys, floor, step }, at }: ChartMarksProps): ReactNode {
  const width = Math.max(1, Math.min(step * 0.72, widestBar))
  return (
    <g className={at === undefined ? 'bars' : 'bars looked-at'}>
      {xs.map((x, i) => {
        const height = floor - (ys[i] ?? floor)
        return (
          <rect
            key={i}
            className={i === at ? 'seen' : undefined}
            x={x - width / 2}
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
export function Line({ places: { xs, ys, floor, top }, at }: ChartMarksProps): ReactNode {
  const line = xs.map((x, i) => `${x.toFixed(1)} ${(ys[i] ?? floor).toFixed(1)}`).join('L')
  const seen = at ?? (xs.length === 1 ? 0 : undefined)
  const [x, y] = seen === undefined ? [] : [xs[seen], ys[seen]]
  return (
    <>
      <path className="area" d={`M${xs[0] ?? 0} ${floor}L${line}L${xs.at(-1) ?? 0} ${floor}Z`} />
      <path className="line" d={`M${line}`} />
      {x !== undefined && y !== undefined && (
        <>
          {at !== undefined && <path className="cross" d={`M${x} ${top}V${floor}`} />}
          <circle className="point" cx={x} cy={y} r="4" />
        </>
      )}
    </>
  )
}
