import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Fragment, useSyncExternalStore, memo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { formatNumber, formatRange, formatCount } from '../kit/formats.ts'
import { Failure, Loading } from '../kit/state.tsx'
import { api, problemText } from './api.ts'
import type { Coverage, CoverageLane, HeightRange, Overview } from './contract.ts'
import { ticksOf, pathOf, runsOf } from './coverage-cells.ts'
import { CoverageCursor } from './coverage-cursor.tsx'
import { useView } from './view.ts'

const refreshMs = 3000
/** Share of the axis at its end in which no tick begins, since its number would be cut off. */
const lastTickRoom = 0.08
const newest = [1000, 10_000, 100_000]
const legend = ['done', 'active', 'owed', 'skipped', 'troubled'] as const
const narrow = window.matchMedia('(max-width: 45rem)')

/** Where along the chain each stage has been: holes, trouble and work under way, one lane below the other. */
export function CoveragePanel({ overview }: { readonly overview: Overview }): ReactNode {
  const [{ span }, change] = useView()
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches)
  const cells = isNarrow ? 140 : 400
  const coverage = useQuery({
    queryKey: ['coverage', span, cells],
    queryFn: ({ signal }) => api.coverage({ from: span?.from, to: span?.to, cells }, signal),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
    enabled: overview.stored !== null,
  })
  const zoom = (next: HeightRange | undefined): void => change({ span: next })
  const end = overview.stored?.to ?? 0
  const length = end - (overview.stored?.from ?? 0)
  return (
    <section className="panel coverage" aria-labelledby="coverage">
      <header>
        <h2 id="coverage">Coverage</h2>
        <span className="soft">{coverage.data === undefined ? '' : formatRange(coverage.data)}</span>
        <div className="button-row zoom">
          <Button isSmall aria-pressed={span === undefined} onClick={() => zoom(undefined)}>
            Whole chain
          </Button>
          {newest
            .filter((heights) => heights < length)
            .map((heights) => (
              <Button key={heights} isSmall onClick={() => zoom({ from: end - heights, to: end })}>
                Newest {formatNumber(heights)}
              </Button>
            ))}
        </div>
      </header>
      {overview.stored === null && (
        <div className="state">
          <p className="soft">Nothing is stored yet.</p>
        </div>
      )}
      {coverage.isPending && overview.stored !== null && <Loading rows={4} label="Reading the coverage" />}
      {coverage.data === undefined && coverage.isError && (
        <Failure
          title="The coverage cannot be shown"
          detail={problemText(coverage.error)}
          onRetry={() => void coverage.refetch()}
        />
      )}
      {coverage.data !== undefined && <Picture coverage={coverage.data} isNarrow={isNarrow} onZoom={zoom} />}
    </section>
  )
}

function Picture({
  coverage,
  isNarrow,
  onZoom,
}: {
  readonly coverage: Coverage
  readonly isNarrow: boolean
  readonly onZoom: (span: HeightRange | undefined) => void
}): ReactNode {
  const rows = coverage.stages.length
  return (
    <>
      <div className="lanes">
        {coverage.stages.map((lane, i) => (
          <Fragment key={lane.name}>
            <span className="lane-name" style={{ gridRow: i + 1 }}>
              {lane.name}
            </span>
            <div className="lane-place" style={{ gridRow: i + 1 }}>
              <Lane lane={lane} cells={coverage.cells} />
            </div>
            <span className="lane-share soft" style={{ gridRow: i + 1 }}>
              {shareOf(lane)}
            </span>
          </Fragment>
        ))}
        <div className="cursor-place" style={{ gridRow: `1 / span ${Math.max(1, rows)}` }}>
          <CoverageCursor coverage={coverage} onZoom={onZoom} />
        </div>
        <div className="axis soft" style={{ gridRow: rows + 1 }} aria-hidden="true">
          {ticksOf(coverage, isNarrow ? 3 : 8)
            .filter((tick) => tick <= coverage.to - (coverage.to - coverage.from) * lastTickRoom)
            .map((tick) => (
              <span key={tick} style={{ left: `${((tick - coverage.from) / (coverage.to - coverage.from)) * 100}%` }}>
                {formatNumber(tick)}
              </span>
            ))}
        </div>
      </div>
      <footer className="coverage-foot">
        <ul className="legend" aria-label="Legend">
          {legend.map((state) => (
            <li key={state}>
              <i className={state} aria-hidden="true" />
              {state}
            </li>
          ))}
        </ul>
        <span className="soft wide-only">Drag to zoom</span>
      </footer>
      <CoverageTable coverage={coverage} />
    </>
  )
}

function shareOf({ done }: CoverageLane): string {
  const share = done.reduce((sum, value) => sum + value, 0) / Math.max(1, done.length)
  return `${(Math.floor(share * 1000) / 10).toFixed(share >= 1 ? 0 : 1)}%`
}

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Height of the drawing, px; its width is that of the place it has. */
const laneHeight = 22
const shades = [0.2, 0.4, 0.6, 0.8] as const

/**
 * One stage along the chain. States differ in shape too, for whoever does not see the colours: what is owed is a thin
 * line, what was skipped a broader one, what is done a band, and trouble stands out above and below it.
 */
const Lane = memo(function Lane({ lane, cells }: { readonly lane: CoverageLane; readonly cells: number }): ReactNode {
  const done = (cell: number): number => lane.done[cell] ?? 0
  const has =
    (values: readonly number[]) =>
    (cell: number): boolean =>
      (values[cell] ?? 0) > 0
  return (
    <svg
      className="lane"
      viewBox={`0 0 ${cells} ${laneHeight}`}
      height={laneHeight}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="owed" d={`M0 10h${cells}v2h-${cells}z`} />
      {shades.map((shade) => (
        <path
          key={shade}
          className="done"
          opacity={shade}
          d={pathOf(cells, 4, 14, (cell) => done(cell) > shade - 0.2 && done(cell) <= shade && done(cell) < 1)}
        />
      ))}
      <path className="done" opacity={0.9} d={pathOf(cells, 4, 14, (cell) => done(cell) > 0.8 && done(cell) < 1)} />
      <path className="done" d={pathOf(cells, 4, 14, (cell) => done(cell) >= 1)} />
      <path className="skipped" d={pathOf(cells, 8, 6, has(lane.skipped))} />
      <path className="active" d={pathOf(cells, 4, 14, has(lane.active))} />
      <path className="troubled" d={pathOf(cells, 0, laneHeight, has(lane.troubled))} />
    </svg>
  )
})

const mostRows = 300

/** The picture of the coverage in words, for whoever cannot see it or wants to copy from it. */
function CoverageTable({ coverage }: { readonly coverage: Coverage }): ReactNode {
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
