import { memo, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { shownText } from '../../kit/cell-text.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import type { ResultTable } from '../../kit/result-table.ts'
import { toTabSeparated } from '../../kit/spreadsheet.ts'
import { AcrossChart } from './across-chart.tsx'
import { valueText } from './chart-data.ts'
import type { ChartData } from './chart-data.ts'
import { PieChart } from './pie-chart.tsx'
import { UprightChart } from './upright-chart.tsx'

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
    title: shownText(title),
    labels: labels.map(shownText),
    sets: sets.map(({ label, values }) => ({ label: shownText(label), values })),
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
