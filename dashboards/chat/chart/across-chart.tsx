import type { ReactNode } from 'react'
import { useParentSize } from '@visx/responsive'
import { scaleLinear } from '@visx/scale'
import { BarRounded } from '@visx/shape'
import type { ChartData } from './chart-data.ts'
import { valueText } from './chart-data.ts'
import { cutText } from './plot-scales.ts'
import { Plot, placeText } from './plot.tsx'
import { useLookedAt } from './use-looked-at.ts'

/** More rows than these are in the table. */
const mostRows = 40
/** Of wide ones: a name shall not be cut by the edge of the picture. */
const signWidth = 7.1
const thick = 16
const gapOfRows = 10

/** Bars that lie below each other, each with its name before it and its value behind. */
export function AcrossChart({ data }: { readonly data: ChartData }): ReactNode {
  const { parentRef, width } = useParentSize({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const labels = data.labels.slice(0, mostRows)
  const lookedAt = useLookedAt(labels.length)
  const { at } = lookedAt
  const sets = data.sets.map(({ label, values }) => ({ label, values: values.slice(0, mostRows) }))
  const all = sets.flatMap(({ values }) => values)
  const rowHeight = thick * sets.length + gapOfRows
  const height = rowHeight * labels.length + 4
  const longestName = labels.reduce((most, label) => Math.max(most, Array.from(label).length), 1)
  const nameSigns = Math.min(longestName, Math.floor((width * 0.36) / signWidth))
  const left = nameSigns * signWidth + 12
  const valueWidth = all.reduce((most, value) => Math.max(most, valueText(value).length), 1) * signWidth + 10
  const lowest = Math.min(0, ...all)
  const highest = Math.max(0, ...all)
  const scale = scaleLinear<number>({
    domain: lowest === highest ? [0, 1] : [lowest, highest],
    range: [left + (lowest < 0 ? valueWidth : 0), Math.max(left + 1, width - (highest > 0 ? valueWidth : 4))],
  })
  const base = scale(0)
  return (
    <div ref={parentRef} className="plot-place">
      <Plot
        data={data}
        lookedAt={lookedAt}
        count={labels.length}
        say={(place) => placeText(data, place)}
        onPoint={(_, y) => Math.max(0, Math.min(labels.length - 1, Math.floor(y / rowHeight)))}
      >
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {labels.map((label, i) => (
            <g key={i} className={at === undefined || at === i ? '' : 'unseen'}>
              <text className="name" x={left - 10} y={i * rowHeight + rowHeight / 2 + 4} textAnchor="end">
                {cutText(label, nameSigns)}
              </text>
              {sets.map(({ values }, set) => {
                const value = values[i] ?? 0
                const end = scale(value)
                const y = i * rowHeight + gapOfRows / 2 + set * thick
                const long = value === 0 ? 0 : Math.max(1, Math.abs(end - base))
                return (
                  <g key={set} className={`s${set}`}>
                    <BarRounded
                      className="column"
                      x={value < 0 ? base - long : base}
                      width={long}
                      y={y}
                      height={thick - 2}
                      radius={Math.min(3, long)}
                      right={value >= 0}
                      left={value < 0}
                    />
                    <text
                      x={value < 0 ? base - long - 6 : base + long + 6}
                      y={y + thick / 2 + 3}
                      textAnchor={value < 0 ? 'end' : 'start'}
                    >
                      {valueText(value)}
                    </text>
                  </g>
                )
              })}
            </g>
          ))}
          <path className="grid floor" d={`M${base} 0V${height}`} />
        </svg>
      </Plot>
      {data.labels.length > mostRows && (
        <p className="soft chart-note">{data.labels.length - mostRows} more are in the table.</p>
      )}
    </div>
  )
}
