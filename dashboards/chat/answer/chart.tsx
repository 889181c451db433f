import { useParentSize } from '@visx/responsive'
import { scaleLinear } from '@visx/scale'
import { Pie, BarRounded } from '@visx/shape'
import { memo, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/controls.tsx'
import { escapeInvisible, toTabSeparated } from '../../kit/result-table.ts'
import { CopyButton } from '../../kit/toast.tsx'
import { formatCompact, formatShare } from '../../kit/formats.ts'
import type { ResultTable } from '../../kit/result-table.ts'
import { valueText, pieSlices, cutText } from './chart-data.ts'
import type { ChartData } from './chart-data.ts'
import { Plot, positionText, UprightChart, usePositionSelection } from './chart-plot.tsx'

export const Chart = memo(function Chart({ data: given }: { readonly data: ChartData }): ReactNode {
  const [isTable, setIsTable] = useState(false)
  const id = useId()
  const data = shownChart(given)
  const hasLegend = data.sets.length > 1 && data.kind !== 'pie' && data.kind !== 'doughnut'
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption>
        <span id={id} className="chart-title">
          {data.title}
        </span>
        <span className="chart-tools">
          <Button look="plain" isSmall aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            {isTable ? 'Chart' : 'Table'}
          </Button>
          <CopyButton text={() => toTabSeparated(asTable(given))} what="the numbers" />
        </span>
      </figcaption>
      {hasLegend && !isTable && (
        <ul className="legend">
          {data.sets.map(({ label }, i) => (
            <li key={i}>
              <i className={`swatch s${i}`} /> {label}
            </li>
          ))}
        </ul>
      )}
      {isTable ? <ChartTable data={data} /> : <Drawing data={data} />}
    </figure>
  )
})

function Drawing({ data }: { readonly data: ChartData }): ReactNode {
  if (data.kind === 'pie' || data.kind === 'doughnut') return <PieChart data={data} hole={data.kind === 'doughnut'} />
  if (data.kind === 'horizontalBar') return <AcrossChart data={data} />
  return <UprightChart data={data} shape={data.kind} />
}

function ChartTable({ data }: { readonly data: ChartData }): ReactNode {
  return (
    <div className="table-scroll chart-table" tabIndex={0} role="region" aria-label={`Data of ${data.title}`}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Name</span>
            </th>
            {data.sets.map(({ label }, i) => (
              <th key={i} scope="col" className="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.labels.map((label, i) => (
            <tr key={i}>
              <th scope="row">{label}</th>
              {data.sets.map(({ values }, set) => (
                <td key={set} className="number">
                  {valueText(values[i] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Names are untrusted: show invisible characters. */
function shownChart({ kind, title, labels, sets }: ChartData): ChartData {
  return {
    kind,
    title: escapeInvisible(title),
    labels: labels.map(escapeInvisible),
    sets: sets.map(({ label, values }) => ({ label: escapeInvisible(label), values })),
  }
}

function asTable({ labels, sets }: ChartData): ResultTable {
  return {
    columns: ['', ...sets.map(({ label }) => label)].map((name, i) => ({
      name,
      type: i === 0 ? 'text' : 'float8',
      isNumber: i > 0,
    })),
    rows: labels.map((label, i) => [label, ...sets.map(({ values }) => values[i] ?? 0)]),
  }
}

const size = 208
const outer = size / 2 - 2

function PieChart({ data, hole }: { readonly data: ChartData; readonly hole: boolean }): ReactNode {
  const slices = pieSlices(data)
  const selection = usePositionSelection(slices.length)
  const { at, select } = selection
  if (slices.length === 0)
    return (
      <p className="soft chart-note">A pie chart needs non-negative values that are not all zero. See the table.</p>
    )
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  const active = at === undefined ? undefined : slices[at]
  return (
    <div className="pie">
      <Plot
        data={data}
        selection={selection}
        count={slices.length}
        describePosition={(position) =>
          `${slices[position]?.label ?? ''}: ${valueText(slices[position]?.value ?? 0)}, ` +
          formatShare(slices[position]?.value ?? 0, total)
        }
      >
        <svg width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
          <g transform={`translate(${size / 2} ${size / 2})`}>
            <Pie
              data={[...slices]}
              pieValue={({ value }) => value}
              pieSort={null}
              pieSortValues={null}
              outerRadius={outer}
              innerRadius={hole ? outer * 0.62 : 0}
              cornerRadius={2}
            >
              {({ arcs, path }) =>
                arcs.map((arc, i) => (
                  <path
                    key={i}
                    className={`slice s${arc.data.colour}${at === undefined || at === i ? '' : ' faded'}`}
                    d={path(arc) ?? ''}
                    onPointerEnter={() => select(i)}
                    onPointerDown={() => select(i)}
                  />
                ))
              }
            </Pie>
          </g>
          {hole && (
            <>
              <text className="total" x={size / 2} y={size / 2 + 2} textAnchor="middle">
                {formatCompact(active?.value ?? total)}
              </text>
              <text x={size / 2} y={size / 2 + 20} textAnchor="middle">
                {active === undefined ? 'total' : formatShare(active.value, total)}
              </text>
            </>
          )}
        </svg>
      </Plot>
      <ul className="pie-legend">
        {slices.map(({ label, value, colour }, i) => (
          <li
            key={i}
            className={at === i ? 'active' : ''}
            onPointerEnter={() => select(i)}
            onPointerLeave={() => select(undefined)}
          >
            <i className={`swatch s${colour}`} />
            <span className="legend-name">{label}</span>
            <span className="number">{valueText(value)}</span>
            <span className="number soft">{formatShare(value, total)}</span>
          </li>
        ))}
      </ul>
      {data.sets.length > 1 && (
        <p className="soft chart-note">This chart shows {data.sets[0]?.label}. See the table for the other series.</p>
      )}
    </div>
  )
}

const maxRows = 40
const characterWidth = 7.1
const thick = 16
const gapOfRows = 10

function AcrossChart({ data }: { readonly data: ChartData }): ReactNode {
  const { parentRef, width } = useParentSize({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const labels = data.labels.slice(0, maxRows)
  const selection = usePositionSelection(labels.length)
  const { at } = selection
  const sets = data.sets.map(({ label, values }) => ({ label, values: values.slice(0, maxRows) }))
  const all = sets.flatMap(({ values }) => values)
  const rowHeight = thick * sets.length + gapOfRows
  const height = rowHeight * labels.length + 4
  const longestName = labels.reduce((max, label) => Math.max(max, Array.from(label).length), 1)
  const nameSigns = Math.min(longestName, Math.floor((width * 0.36) / characterWidth))
  const left = nameSigns * characterWidth + 12
  const valueWidth = all.reduce((max, value) => Math.max(max, valueText(value).length), 1) * characterWidth + 10
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
        selection={selection}
        count={labels.length}
        describePosition={(position) => positionText(data, position)}
        onPoint={(_, y) => Math.max(0, Math.min(labels.length - 1, Math.floor(y / rowHeight)))}
      >
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {labels.map((label, i) => (
            <g key={i} className={at === undefined || at === i ? '' : 'faded'}>
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
      {data.labels.length > maxRows && (
        <p className="soft chart-note">{data.labels.length - maxRows} more in the table.</p>
      )}
    </div>
  )
}
