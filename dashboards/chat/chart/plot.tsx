import type { ReactNode } from 'react'
import type { ChartData } from './chart-data.ts'
import { valueText } from './chart-data.ts'
import type { LookedAt } from './use-looked-at.ts'

export interface PlotProps {
  readonly data: ChartData
  readonly lookedAt: LookedAt
  /** What a place says: its label and its values. */
  readonly say: (place: number) => string
  readonly count: number
  readonly onPoint?: ((x: number, y: number) => number | undefined) | undefined
  readonly children: ReactNode
}

/** The frame of a picture: one looks at its places with the pointer or the arrow keys, and each is said in words. */
export function Plot({ data, lookedAt: { at, look, press }, say, count, onPoint, children }: PlotProps): ReactNode {
  return (
    <div
      className="plot"
      role="slider"
      tabIndex={0}
      aria-label={data.title}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={at ?? 0}
      aria-valuetext={at === undefined ? `${count} values; the arrow keys tell them` : say(at)}
      onPointerDown={({ clientX, clientY, currentTarget }) => lookAt(clientX, clientY, currentTarget)}
      onPointerMove={({ clientX, clientY, currentTarget }) => lookAt(clientX, clientY, currentTarget)}
      onPointerLeave={() => look(undefined)}
      onKeyDown={press}
      onBlur={() => look(undefined)}
    >
      {children}
    </div>
  )

  function lookAt(clientX: number, clientY: number, element: Element): void {
    if (onPoint === undefined) return
    const box = element.getBoundingClientRect()
    look(onPoint(clientX - box.left, clientY - box.top))
  }
}

/** What a place of a chart says: `Mar 14: transactions 1,204, fees 3.1`. */
export function placeText({ labels, sets }: ChartData, place: number): string {
  const only = sets.length === 1
  return `${labels[place] ?? ''}: ${sets.map(({ label, values }) => `${only ? '' : `${label} `}${valueText(values[place] ?? 0)}`).join(', ')}`
}

export interface TipProps {
  readonly data: ChartData
  readonly place: number
  /** In pixels of the picture. */
  readonly x: number
  readonly width: number
}

/** What one looks at, beside it. */
export function Tip({ data: { labels, sets }, place, x, width }: TipProps): ReactNode {
  const side = x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }
  return (
    <div className="tip" style={side} aria-hidden="true">
      <p className="soft">{labels[place]}</p>
      {sets.map(({ label, values }, i) => (
        <p key={i}>
          <i className={`swatch s${i}`} />
          <b>{valueText(values[place] ?? 0)}</b> {sets.length > 1 && <span className="soft">{label}</span>}
        </p>
      ))}
    </div>
  )
}
