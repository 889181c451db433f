import { useState } from 'react'
import type { ReactNode } from 'react'
import { formatCount, formatNumber, formatRange } from '../kit/formats.ts'
import type { Coverage } from './contract.ts'
import { runsOf } from './coverage-cells.ts'

const mostRows = 300

/** The picture of the coverage in words, for whoever cannot see it or wants to copy from it. */
export function CoverageTable({ coverage }: { readonly coverage: Coverage }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="as-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && <RunTable coverage={coverage} />}
    </details>
  )
}

function RunTable({ coverage }: { readonly coverage: Coverage }): ReactNode {
  const rows = coverage.stages.flatMap((lane) => runsOf(coverage, lane).map((run) => ({ ...run, name: lane.name })))
  const heightsOfCell = Math.max(1, Math.ceil((coverage.to - coverage.from) / coverage.cells))
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Coverage by range">
      <table className="table">
        <caption className="soft">
          To {formatCount(heightsOfCell, 'height')}.
          {rows.length > mostRows
            ? ` The first ${mostRows} of ${formatNumber(rows.length)} ranges: zoom in for the rest.`
            : ''}
        </caption>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">State</th>
            <th scope="col">Heights</th>
            <th scope="col" className="number">
              Number
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((run) => (
            <tr key={`${run.name} ${run.from}`}>
              <th scope="row">{run.name}</th>
              <td>{run.state}</td>
              <td className="nowrap">{formatRange(run)}</td>
              <td className="number">{formatNumber(run.to - run.from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
