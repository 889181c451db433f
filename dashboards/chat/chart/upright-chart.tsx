import type { ReactNode } from 'react'
import { useParentSize } from '@visx/responsive'
import { BarRounded, LinePath } from '@visx/shape'
import { markText, pointName } from '../../kit/chart-axis.ts'
import type { ChartData } from './chart-data.ts'
import { axisLabels, cutText, plotScales } from './plot-scales.ts'
import { Plot, placeText, Tip } from './plot.tsx'
import { useLookedAt } from './use-looked-at.ts'

const height = 260
const margin = { right: 8, top: 12, bottom: 26 }
const signWidth = 6.4
const leastLeft = 32
/** Points of a line are shown where there are few enough to tell them apart. */
const mostPoints = 40

/** Bars that stand side by side, or lines. */
export function UprightChart({ data, shape }: { readonly data: ChartData; readonly shape: 'bar' | 'line' }): ReactNode {
  const { parentRef, width } = useParentSize({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const lookedAt = useLookedAt(data.labels.length)
  const { at } = lookedAt
  const sets = data.sets.map(({ values }) => values)
  const plane = { right: width - margin.right, top: margin.top, floor: height - margin.bottom }
  const widest = plotScales(sets, shape, { ...plane, left: 0 }).marks.reduce(
    (most, mark) => Math.max(most, signedMark(mark).length),
    1,
  )
  const left = Math.min(Math.max(leastLeft, Math.ceil(widest * signWidth) + 10), plane.right - 1)
  const { x, y, step, band, base, marks } = plotScales(sets, shape, { ...plane, left })
  const names = data.labels.map(pointName)
  const written = axisLabels(names, plane.right - left)
  const nearest = (px: number): number => Math.max(0, Math.min(names.length - 1, Math.round((px - x(0)) / (step || 1))))
  return (
    <div ref={parentRef} className="plot-place">
      <Plot
        data={data}
        lookedAt={lookedAt}
        count={names.length}
        say={(place) => placeText(data, place)}
        onPoint={nearest}
      >
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {marks.map((mark) => (
            <g key={mark}>
              <path className={mark === 0 ? 'grid floor' : 'grid'} d={`M${left} ${y(mark)}H${plane.right}`} />
              <text x={left - 7} y={y(mark) + 4} textAnchor="end">
                {signedMark(mark)}
              </text>
            </g>
          ))}
          {written.places.map((i) => (
            <AxisName key={i} x={x(i)} right={width} text={cutText(names[i] ?? '', written.characters)} />
          ))}
          {at !== undefined && shape === 'line' && (
            <path className="cross" d={`M${x(at)} ${plane.top}V${plane.floor}`} />
          )}
          {shape === 'bar'
            ? sets.map((values, set) => (
                <BarsOf key={set} {...{ values, set, sets: sets.length, x, y, band, base, at }} />
              ))
            : sets.map((values, set) => (
                <g key={set} className={`s${set}`}>
                  <LinePath className="line" data={[...values]} x={(_, i) => x(i)} y={(value) => y(value)} />
                  {values.map((value, i) =>
                    i === at || (values.length <= mostPoints && step > 12) ? (
                      <circle key={i} className="dot" cx={x(i)} cy={y(value)} r={i === at ? 4.5 : 2.75} />
                    ) : null,
                  )}
                </g>
              ))}
        </svg>
        {at !== undefined && <Tip data={data} place={at} x={x(at)} width={width} />}
      </Plot>
    </div>
  )
}

function signedMark(mark: number): string {
  return mark < 0 ? `−${markText(-mark)}` : markText(mark)
}

/** A name below its place, moved where it would stand out of the picture. */
function AxisName({
  x,
  right,
  text,
}: {
  readonly x: number
  readonly right: number
  readonly text: string
}): ReactNode {
  const half = (text.length * signWidth) / 2
  return (
    <text x={Math.max(half, Math.min(right - half, x))} y={height - 8} textAnchor="middle">
      {text}
    </text>
  )
}

interface BarsProps {
  readonly values: readonly number[]
  readonly set: number
  /** How many stand side by side. */
  readonly sets: number
  readonly x: (i: number) => number
  readonly y: (value: number) => number
  readonly band: number
  readonly base: number
  readonly at: number | undefined
}

const widestBar = 56

function BarsOf({ values, set, sets, x, y, band, base, at }: BarsProps): ReactNode {
  const room = Math.min(band, widestBar * sets)
  const width = Math.max(1, room / sets - (sets > 1 ? 1 : 0))
  return (
    <g className={`s${set}${at === undefined ? '' : ' looked-at'}`}>
      {values.map((value, i) => {
        const tall = Math.abs(y(value) - base)
        // What is not nought is seen, however small it is.
        const shown = value === 0 ? 0 : Math.max(1, tall)
        return (
          <BarRounded
            key={i}
            className={i === at ? 'column seen' : 'column'}
            x={x(i) - room / 2 + set * (room / sets)}
            width={width}
            y={value < 0 ? base : base - shown}
            height={shown}
            radius={Math.min(3, width / 3, shown)}
            top={value >= 0}
            bottom={value < 0}
          />
        )
      })}
    </g>
  )
}
