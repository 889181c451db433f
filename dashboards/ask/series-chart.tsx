import { useParentSize } from '@visx/responsive'
import { scaleLinear } from '@visx/scale'
import { Bar, LinePath } from '@visx/shape'
import { useId, useMemo, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { labelledPoints, pointLabel, tickLabel } from '../kit/chart-scales.ts'
import { comparable } from './chart-choice.ts'
import type { Chart, ChartSeries } from './chart-choice.ts'

const height = 280
const margin = { right: 10, top: 10, bottom: 22 }
const charWidth = 6.4
const tickCount = 4

/** Several series, also below zero. The legend hides series; a hidden table lists all points. */
export function SeriesChart({ chart }: { readonly chart: Chart }): ReactNode {
  const [shown, setShown] = useState(() => comparable(chart.series))
  const [selected, setSelected] = useState<number>()
  const id = useId()
  const { parentRef, width } = useParentSize<HTMLElement>({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const series = useMemo(() => chart.series.filter(({ name }) => shown.has(name)), [chart, shown])
  const last = chart.points.length - 1
  const at = Math.min(selected ?? last, last)
  const scales = useMemo(() => scalesOf(chart, series, width), [chart, series, width])
  const { left, right, floor, x, y, step, ticks } = scales
  const label = `${series.map(({ name }) => name).join(', ')} by ${chart.by}`
  const selectAt = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>): void => {
    const box = currentTarget.getBoundingClientRect()
    const i = Math.round((((clientX - box.left) / box.width) * width - x(0)) / step)
    setSelected(Math.max(0, Math.min(last, i)))
  }
  const move = (event: KeyboardEvent): void => {
    const targets: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    setSelected(Math.max(0, Math.min(last, target)))
  }
  const toggle = (name: string): void => {
    const next = new Set(shown)
    if (!next.delete(name)) next.add(name)
    // One series always stays.
    if (next.size > 0) setShown(next)
  }
  const texts = series.map(({ name, texts: own }) => `${name} ${own[at] ?? ''}`)
  const nameWidth = Math.max(...chart.points.map((point) => pointLabel(point).length), 1) * charWidth + 18
  return (
    <figure ref={parentRef} className="time-chart series-chart">
      <figcaption>
        <span id={id}>{label}</span>
        <span className="soft">{chart.points[at]}</span>
      </figcaption>
      <div className="legend" role="group" aria-label="Series">
        {chart.series.map(({ name, texts: own }, i) => (
          <button
            key={name}
            type="button"
            className="legend-item"
            aria-pressed={shown.has(name)}
            onClick={() => toggle(name)}
          >
            <i className={`mark s${i}`} aria-hidden="true" />
            {name} {shown.has(name) && <b>{own[at]}</b>}
          </button>
        ))}
      </div>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={`${chart.points[at]}: ${texts.join(', ')}`}
        onPointerDown={selectAt}
        onPointerMove={selectAt}
        onPointerLeave={() => setSelected(undefined)}
        onKeyDown={move}
        onBlur={() => setSelected(undefined)}
      >
        <svg height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <path className={tick === 0 ? 'grid floor' : 'grid'} d={`M${left} ${y(tick)}H${right}`} />
              <text x={left - 6} y={y(tick) + 4} textAnchor="end">
                {tickLabel(tick)}
              </text>
            </g>
          ))}
          {labelledPoints(chart.points.length, right - left, nameWidth).map((i) => {
            const text = pointLabel(chart.points[i] ?? '')
            const half = (text.length * charWidth) / 2
            return (
              <text key={i} x={Math.max(half, Math.min(width - half, x(i)))} y={height - 5} textAnchor="middle">
                {text}
              </text>
            )
          })}
          {selected !== undefined && <path className="cross" d={`M${x(at)} ${margin.top}V${floor}`} />}
          {series.map((each, i) => {
            const index = chart.series.indexOf(each)
            return chart.shape === 'line' ? (
              <SeriesLine key={each.name} series={each} index={index} scales={scales} at={at} />
            ) : (
              <SeriesBars key={each.name} series={each} index={index} scales={scales} place={i} count={series.length} />
            )
          })}
        </svg>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">{chart.by}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {chart.points.map((point, i) => (
              <tr key={point}>
                <th scope="row">{point}</th>
                {series.map(({ name, texts: own }) => (
                  <td key={name}>{own[i]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

interface SeriesScales {
  readonly left: number
  readonly right: number
  readonly floor: number
  readonly step: number
  readonly ticks: readonly number[]
  readonly x: (i: number) => number
  readonly y: (value: number) => number
}

function scalesOf({ points, shape }: Chart, series: readonly ChartSeries[], width: number): SeriesScales {
  const values = series.flatMap((each) => each.values.filter((value) => value !== undefined))
  const lowest = values.reduce((low, value) => Math.min(low, value), 0)
  const highest = values.reduce((high, value) => Math.max(high, value), 0)
  const floor = height - margin.bottom
  const y = scaleLinear<number>({
    domain: lowest === highest ? [0, 1] : [lowest, highest],
    range: [floor, margin.top],
    nice: tickCount,
  })
  const ticks = y.ticks(tickCount)
  const longest = Math.max(...ticks.map((tick) => tickLabel(tick).length))
  const right = width - margin.right
  const left = Math.min(Math.max(36, Math.ceil(longest * charWidth) + 10), right - 1)
  const step = shape === 'line' ? (right - left) / Math.max(1, points.length - 1) : (right - left) / points.length
  const x = (i: number): number => left + step * (shape === 'line' ? i : i + 0.5)
  return { left, right, floor, step, ticks, x, y: (value) => y(value) }
}

interface MarksProps {
  readonly series: ChartSeries
  readonly index: number
  readonly scales: SeriesScales
}

function SeriesLine({ series, index, scales: { x, y }, at }: MarksProps & { readonly at: number }): ReactNode {
  const value = series.values[at]
  return (
    <>
      <LinePath
        className={`line s${index}`}
        data={[...series.values]}
        defined={(each) => each !== undefined}
        x={(_, i) => x(i)}
        y={(each) => y(each ?? 0)}
      />
      {value !== undefined && <circle className={`point s${index}`} cx={x(at)} cy={y(value)} r="4" />}
    </>
  )
}

const maxBarWidth = 40

interface BarsProps extends MarksProps {
  readonly place: number
  readonly count: number
}

function SeriesBars({ series, index, scales: { x, y, step }, place, count }: BarsProps): ReactNode {
  const width = Math.max(1, Math.min((step * 0.72) / count, maxBarWidth))
  return (
    <g className={`s${index}`}>
      {series.values.map((value, i) => {
        if (value === undefined) return null
        const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))]
        const left = x(i) + width * (place - count / 2)
        return <Bar key={i} x={left} width={width} y={top} height={bottom - top} rx={Math.min(3, width / 4)} />
      })}
    </g>
  )
}
