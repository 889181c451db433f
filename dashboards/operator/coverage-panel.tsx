import { Fragment, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { formatNumber, formatRange } from '../kit/formats.ts'
import { Failure, Loading } from '../kit/state.tsx'
import { api, problemText } from './api.ts'
import type { Coverage, CoverageLane, HeightRange, Overview } from './contract.ts'
import { ticksOf } from './coverage-cells.ts'
import { CoverageCursor } from './coverage-cursor.tsx'
import { Lane } from './coverage-lane.tsx'
import { CoverageTable } from './coverage-table.tsx'
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
