import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Fragment, useSyncExternalStore, memo, useState } from 'react'
import type { ReactNode, KeyboardEvent, PointerEvent } from 'react'
import { Button } from '../kit/controls.tsx'
import { formatNumber, formatRange, formatCount, formatShare } from '../kit/formats.ts'
import { ErrorState, Loading } from '../kit/state.tsx'
import { api } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { Coverage, CoverageLane, Overview } from './answers.gen.ts'
import type { HeightRange } from './coverage-cells.ts'
import { ticksOf, pathOf, runsOf, cellRange, cellState } from './coverage-cells.ts'
import { useView } from './use-view.ts'

const refreshMs = 3000
/** Share of the axis without ticks: their labels would be cut off. */
const lastTickShare = 0.08
const newestHeights = [1000, 10_000, 100_000]
const legendStates = ['done', 'active', 'pending', 'skipped', 'failing'] as const
const narrowScreen = window.matchMedia('(max-width: 45rem)')

export function CoveragePanel({ overview }: { readonly overview: Overview }): ReactNode {
  const [{ span }, change] = useView()
  const isNarrow = useSyncExternalStore(onNarrow, () => narrowScreen.matches)
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
          {newestHeights
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
          <p className="soft">Coverage appears here after the first block is stored.</p>
        </div>
      )}
      {coverage.isPending && overview.stored !== null && <Loading rows={4} label="Loading coverage…" />}
      {coverage.data === undefined && coverage.isError && (
        <ErrorState
          title="Could not load coverage"
          detail={problemText(coverage.error)}
          onRetry={() => void coverage.refetch()}
        />
      )}
      {coverage.data !== undefined && <CoverageChart coverage={coverage.data} isNarrow={isNarrow} onZoom={zoom} />}
    </section>
  )
}

function CoverageChart({
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
            .filter((tick) => tick <= coverage.to - (coverage.to - coverage.from) * lastTickShare)
            .map((tick) => (
              <span key={tick} style={{ left: `${((tick - coverage.from) / (coverage.to - coverage.from)) * 100}%` }}>
                {formatNumber(tick)}
              </span>
            ))}
        </div>
      </div>
      <footer className="coverage-foot">
        <ul className="legend" aria-label="Legend">
          {legendStates.map((state) => (
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
  narrowScreen.addEventListener('change', listener)
  return () => narrowScreen.removeEventListener('change', listener)
}

/** px */
const laneHeight = 22
const shades = [0.2, 0.4, 0.6, 0.8] as const

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
      <path className="pending" d={`M0 10h${cells}v2h-${cells}z`} />
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
      <path className="failing" d={pathOf(cells, 0, laneHeight, has(lane.failing))} />
    </svg>
  )
})

const maxRows = 300

function CoverageTable({ coverage }: { readonly coverage: Coverage }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="as-table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
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
          Resolution: {formatCount(heightsOfCell, 'height')}.
          {rows.length > maxRows
            ? ` The first ${maxRows} of ${formatNumber(rows.length)} ranges. Zoom in for the rest.`
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
          {rows.slice(0, maxRows).map((run) => (
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

interface CoverageCursorProps {
  readonly coverage: Coverage
  readonly onZoom: (span: HeightRange | undefined) => void
}

function CoverageCursor({ coverage, onZoom }: CoverageCursorProps): ReactNode {
  const { cells } = coverage
  const [chosen, setCell] = useState<number>()
  const [dragFrom, setDragFrom] = useState<number>()
  const cell = chosen === undefined ? undefined : Math.min(chosen, cells - 1)
  const cellAt = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(cells - 1, Math.floor(((event.clientX - box.left) / box.width) * cells)))
  }
  const zoomBy = (factor: number): void => {
    const { from, to } = cellRange(coverage, cell ?? Math.floor(cells / 2))
    const half = Math.max(10, ((coverage.to - coverage.from) * factor) / 2)
    const middle = (from + to) / 2
    onZoom({ from: Math.max(0, Math.floor(middle - half)), to: Math.ceil(middle + half) })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? 10 : 1
    const now = cell ?? cells - 1
    const moves: Record<string, number> = { ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: cells - 1 }
    const target = moves[event.key]
    if (target !== undefined) setCell(Math.max(0, Math.min(cells - 1, target)))
    else if (event.key === '+' || event.key === '=') zoomBy(0.25)
    else if (event.key === '-') zoomBy(4)
    else if (event.key === '0' || event.key === 'Escape') onZoom(undefined)
    else return
    event.preventDefault()
  }
  const press = (event: PointerEvent): void => {
    setCell(cellAt(event))
    if (event.button === 0 && event.pointerType === 'mouse') setDragFrom(cellAt(event))
  }
  const leave = (event: PointerEvent): void => {
    setDragFrom(undefined)
    // On touch screens the pointer leaves right after the tap.
    if (event.pointerType === 'mouse') setCell(undefined)
  }
  const onPointerUp = (event: PointerEvent): void => {
    const end = cellAt(event)
    setDragFrom(undefined)
    if (dragFrom === undefined || Math.abs(end - dragFrom) < 2) return
    onZoom({
      from: cellRange(coverage, Math.min(dragFrom, end)).from,
      to: cellRange(coverage, Math.max(dragFrom, end)).to,
    })
  }
  const marked =
    cell === undefined
      ? undefined
      : { from: Math.min(cell, dragFrom ?? cell), to: Math.max(cell, dragFrom ?? cell) + 1 }
  return (
    <div
      className="cursor"
      role="slider"
      tabIndex={0}
      aria-label="Position on the chain"
      aria-valuemin={0}
      aria-valuemax={cells - 1}
      aria-valuenow={cell ?? cells - 1}
      aria-valuetext={describe(coverage, cell ?? cells - 1)}
      onKeyDown={onKeyDown}
      onBlur={() => setCell(undefined)}
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible')) setCell((old) => old ?? cells - 1)
      }}
      onPointerMove={(event) => setCell(cellAt(event))}
      onPointerLeave={leave}
      onPointerDown={press}
      onPointerUp={onPointerUp}
    >
      {marked !== undefined && (
        <span
          className={`mark ${dragFrom === undefined ? '' : 'drag'}`}
          style={{ left: `${(marked.from / cells) * 100}%`, width: `${((marked.to - marked.from) / cells) * 100}%` }}
        />
      )}
      {cell !== undefined && <Tooltip coverage={coverage} cell={cell} />}
    </div>
  )
}

function Tooltip({ coverage, cell }: { readonly coverage: Coverage; readonly cell: number }): ReactNode {
  const isRight = cell > coverage.cells / 2
  const at = `${((cell + (isRight ? 0 : 1)) / coverage.cells) * 100}%`
  return (
    <div
      className="tooltip"
      style={isRight ? { right: `calc(100% - ${at} + 8px)` } : { left: `calc(${at} + 8px)` }}
      aria-hidden="true"
    >
      <p className="title">{formatRange(cellRange(coverage, cell))}</p>
      <dl>
        {coverage.stages.map((lane) => (
          <div key={lane.name} className={cellState(lane, cell).replace(' ', '-')}>
            <dt>{lane.name}</dt>
            <dd>{stateText(lane, cell)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function stateText(lane: CoverageLane, cell: number): string {
  const state = cellState(lane, cell)
  if (state === 'done' || state === 'pending') return state
  const done = lane.done[cell] ?? 0
  const share = `${formatShare(done, 1)} done`
  if (state === 'partly done') return share

  return done > 0 && done < 1 ? `${share}, ${state}` : state
}

function describe(coverage: Coverage, cell: number): string {
  const lanes = coverage.stages.map((lane) => `${lane.name} ${stateText(lane, cell)}`)
  return `${formatRange(cellRange(coverage, cell))}: ${lanes.join('; ')}`
}
