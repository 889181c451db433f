import type { ReactNode, KeyboardEvent } from 'react'
import { useParentSize } from '@visx/responsive'
import { BarRounded, LinePath } from '@visx/shape'
import { useState } from 'react'
import { tickLabel, pointLabel } from '../../kit/chart-scales.ts'
import type { ChartData } from './chart-data.ts'
import { axisLabels, cutText, plotScales, valueText } from './chart-data.ts'

const height = 260
const margin = { right: 8, top: 12, bottom: 26 }
const characterWidth = 6.4
const minLeft = 32
const maxPoints = 40

export function UprightChart({ data, shape }: { readonly data: ChartData; readonly shape: 'bar' | 'line' }): ReactNode {
  const { parentRef, width } = useParentSize({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const selection = usePositionSelection(data.labels.length)
  const { at } = selection
  const sets = data.sets.map(({ values }) => values)
  const plane = { right: width - margin.right, top: margin.top, floor: height - margin.bottom }
  const widest = plotScales(sets, shape, { ...plane, left: 0 }).marks.reduce(
    (max, mark) => Math.max(max, signedMark(mark).length),
    1,
  )
  const left = Math.min(Math.max(minLeft, Math.ceil(widest * characterWidth) + 10), plane.right - 1)
  const { x, y, step, band, base, marks } = plotScales(sets, shape, { ...plane, left })
  const names = data.labels.map(pointLabel)
  const written = axisLabels(names, plane.right - left)
  const nearest = (px: number): number => Math.max(0, Math.min(names.length - 1, Math.round((px - x(0)) / (step || 1))))
  return (
    <div ref={parentRef} className="plot-place">
      <Plot
        data={data}
        selection={selection}
        count={names.length}
        describePosition={(position) => positionText(data, position)}
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
                    i === at || (values.length <= maxPoints && step > 12) ? (
                      <circle key={i} className="dot" cx={x(i)} cy={y(value)} r={i === at ? 4.5 : 2.75} />
                    ) : null,
                  )}
                </g>
              ))}
        </svg>
        {at !== undefined && <Tip data={data} position={at} x={x(at)} width={width} />}
      </Plot>
    </div>
  )
}

function signedMark(mark: number): string {
  return mark < 0 ? `−${tickLabel(-mark)}` : tickLabel(mark)
}

function AxisName({
  x,
  right,
  text,
}: {
  readonly x: number
  readonly right: number
  readonly text: string
}): ReactNode {
  const half = (text.length * characterWidth) / 2
  return (
    <text x={Math.max(half, Math.min(right - half, x))} y={height - 8} textAnchor="middle">
      {text}
    </text>
  )
}

interface BarsProps {
  readonly values: readonly number[]
  readonly set: number
  readonly sets: number
  readonly x: (i: number) => number
  readonly y: (value: number) => number
  readonly band: number
  readonly base: number
  readonly at: number | undefined
}

const maxBarWidth = 56

function BarsOf({ values, set, sets, x, y, band, base, at }: BarsProps): ReactNode {
  const groupWidth = Math.min(band, maxBarWidth * sets)
  const width = Math.max(1, groupWidth / sets - (sets > 1 ? 1 : 0))
  return (
    <g className={`s${set}${at === undefined ? '' : ' has-selection'}`}>
      {values.map((value, i) => {
        const tall = Math.abs(y(value) - base)
        const shown = value === 0 ? 0 : Math.max(1, tall)
        return (
          <BarRounded
            key={i}
            className={i === at ? 'column active' : 'column'}
            x={x(i) - groupWidth / 2 + set * (groupWidth / sets)}
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

interface PlotProps {
  readonly data: ChartData
  readonly selection: PositionSelection
  readonly describePosition: (position: number) => string
  readonly count: number
  readonly onPoint?: ((x: number, y: number) => number | undefined) | undefined
  readonly children: ReactNode
}

export function Plot({
  data,
  selection: { at, select, press },
  describePosition,
  count,
  onPoint,
  children,
}: PlotProps): ReactNode {
  return (
    <div
      className="plot"
      role="slider"
      tabIndex={0}
      aria-label={data.title}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={at ?? 0}
      aria-valuetext={at === undefined ? `${count} values. Use the arrow keys to read them.` : describePosition(at)}
      onPointerDown={({ clientX, clientY, currentTarget }) => selectAt(clientX, clientY, currentTarget)}
      onPointerMove={({ clientX, clientY, currentTarget }) => selectAt(clientX, clientY, currentTarget)}
      onPointerLeave={() => select(undefined)}
      onKeyDown={press}
      onBlur={() => select(undefined)}
    >
      {children}
    </div>
  )

  function selectAt(clientX: number, clientY: number, element: Element): void {
    if (onPoint === undefined) return
    const box = element.getBoundingClientRect()
    select(onPoint(clientX - box.left, clientY - box.top))
  }
}

/** For example `Mar 14: transactions 1,204, fees 3.1`. */
export function positionText({ labels, sets }: ChartData, position: number): string {
  const only = sets.length === 1
  const texts = sets.map(({ label, values }) => `${only ? '' : `${label} `}${valueText(values[position] ?? 0)}`)
  return `${labels[position] ?? ''}: ${texts.join(', ')}`
}

interface TipProps {
  readonly data: ChartData
  readonly position: number
  readonly x: number
  readonly width: number
}

function Tip({ data: { labels, sets }, position, x, width }: TipProps): ReactNode {
  const side = x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }
  return (
    <div className="tip" style={side} aria-hidden="true">
      <p className="soft">{labels[position]}</p>
      {sets.map(({ label, values }, i) => (
        <p key={i}>
          <i className={`swatch s${i}`} />
          <b>{valueText(values[position] ?? 0)}</b> {sets.length > 1 && <span className="soft">{label}</span>}
        </p>
      ))}
    </div>
  )
}

interface PositionSelection {
  readonly at: number | undefined
  readonly select: (position: number | undefined) => void
  readonly press: (event: KeyboardEvent) => void
}

export function usePositionSelection(count: number): PositionSelection {
  const [selected, setSelected] = useState<number>()
  const last = count - 1
  const at = selected === undefined || selected > last ? undefined : selected
  const press = (event: KeyboardEvent): void => {
    const targets: Record<string, number> = {
      ArrowLeft: (at ?? 1) - 1,
      ArrowUp: (at ?? 1) - 1,
      ArrowRight: (at ?? -1) + 1,
      ArrowDown: (at ?? -1) + 1,
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    if (target === undefined || last < 0) return
    event.preventDefault()
    setSelected(Math.max(0, Math.min(last, target)))
  }
  return { at, select: setSelected, press }
}
