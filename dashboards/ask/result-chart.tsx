import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { TimeChart } from '../kit/time-chart.tsx'
import { chartPoints } from './chart-choice.ts'
import type { ChartChoice } from './chart-choice.ts'
import type { ResultTable } from '../kit/result-table.ts'

/** The picture of a result: one of its columns of numbers over the column that names the rows. */
export function ResultChart({
  table,
  choice,
}: {
  readonly table: ResultTable
  readonly choice: ChartChoice
}): ReactNode {
  const [value, setValue] = useState(choice.values[0] ?? 0)
  const points = useMemo(() => chartPoints(table, choice, value), [table, choice, value])
  const nameOf = (column: number): string => table.columns[column]?.name ?? ''
  return (
    <div className="result-chart">
      {choice.values.length > 1 && (
        <label className="chart-column">
          <span className="soft">Column</span>
          <select className="input" value={value} onChange={(event) => setValue(Number(event.target.value))}>
            {choice.values.map((column) => (
              <option key={column} value={column}>
                {nameOf(column)}
              </option>
            ))}
          </select>
        </label>
      )}
      <TimeChart
        label={`${nameOf(value)} by ${nameOf(choice.names)}`}
        points={points}
        shape={choice.shape}
        height={280}
      />
    </div>
  )
}
