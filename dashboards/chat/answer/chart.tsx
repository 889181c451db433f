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
import { Plot, placeText, UprightChart, useLookedAt } from './chart-plot.tsx'

/** A chart as the model asked for it, drawn of its numbers; and the same as a table. */
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
    <div className="table-scroll chart-table" tabIndex={0} role="region" aria-label={`Numbers of ${data.title}`}>
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

/** Names in it were chosen by strangers: no sign of them goes unseen. */
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

/** Parts of a whole, with their shares beside them. */
function PieChart({ data, hole }: { readonly data: ChartData; readonly hole: boolean }): ReactNode {
  const slices = pieSlices(data)
  const lookedAt = useLookedAt(slices.length)
  const { at, look } = lookedAt
  if (slices.length === 0)
    return (
      <p className="soft chart-note">
        These values are no parts of a whole: some are below nought, or all are nought. They are in the table.
      </p>
    )
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  const seen = at === undefined ? undefined : slices[at]
  return (
    <div className="pie">
      <Plot
        data={data}
        lookedAt={lookedAt}
        count={slices.length}
        say={(place) =>
          `${slices[place]?.label ?? ''}: ${valueText(slices[place]?.value ?? 0)}, ` +
          formatShare(slices[place]?.value ?? 0, total)
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
                    className={`slice s${arc.data.place}${at === undefined || at === i ? '' : ' unseen'}`}
                    d={path(arc) ?? ''}
                    onPointerEnter={() => look(i)}
                    onPointerDown={() => look(i)}
                  />
                ))
              }
            </Pie>
          </g>
          {hole && (
            <>
              <text className="total" x={size / 2} y={size / 2 + 2} textAnchor="middle">
                {formatCompact(seen?.value ?? total)}
              </text>
              <text x={size / 2} y={size / 2 + 20} textAnchor="middle">
                {seen === undefined ? 'in all' : formatShare(seen.value, total)}
              </text>
            </>
          )}
        </svg>
      </Plot>
      <ul className="pie-legend">
        {slices.map(({ label, value, place }, i) => (
          <li
            key={i}
            className={at === i ? 'seen' : ''}
            onPointerEnter={() => look(i)}
            onPointerLeave={() => look(undefined)}
          >
            <i className={`swatch s${place}`} />
            <span className="legend-name">{label}</span>
            <span className="number">{valueText(value)}</span>
            <span className="number soft">{formatShare(value, total)}</span>
          </li>
        ))}
      </ul>
      {data.sets.length > 1 && (
        <p className="soft chart-note">Drawn is {data.sets[0]?.label}; the others are in the table.</p>
      )}
    </div>
  )
}

/** More rows than these are in the table. */
const maxRows = 40
/** Of wide ones: a name shall not be cut by the edge of the picture. */
const signWidth = 7.1
const thick = 16
const gapOfRows = 10

/** Bars that lie below each other, each with its name before it and its value behind. */
function AcrossChart({ data }: { readonly data: ChartData }): ReactNode {
  const { parentRef, width } = useParentSize({
    initialSize: { width: 640 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const labels = data.labels.slice(0, maxRows)
  const lookedAt = useLookedAt(labels.length)
  const { at } = lookedAt
  const sets = data.sets.map(({ label, values }) => ({ label, values: values.slice(0, maxRows) }))
  const all = sets.flatMap(({ values }) => values)
  const rowHeight = thick * sets.length + gapOfRows
  const height = rowHeight * labels.length + 4
  const longestName = labels.reduce((max, label) => Math.max(max, Array.from(label).length), 1)
  const nameSigns = Math.min(longestName, Math.floor((width * 0.36) / signWidth))
  const left = nameSigns * signWidth + 12
  const valueWidth = all.reduce((max, value) => Math.max(max, valueText(value).length), 1) * signWidth + 10
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
      {data.labels.length > maxRows && (
        <p className="soft chart-note">{data.labels.length - maxRows} more are in the table.</p>
      )}
    </div>
  )
}
