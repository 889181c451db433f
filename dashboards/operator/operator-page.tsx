import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { formatTime } from '../kit/formats.ts'
import { Banners } from './banners.tsx'
import { CoveragePanel } from './coverage-panel.tsx'
import { showFavicon } from './favicon.ts'
import { FirstLook } from './first-look.tsx'
import { LiveHeader } from './live-header.tsx'
import { NeedsYou } from './needs-you.tsx'
import { OverviewFeed } from './overview-feed.ts'
import { StagesPanel } from './stages-panel.tsx'
import { summarize } from './summary.ts'
import { SummaryPanel } from './summary-panel.tsx'

export interface OperatorPageProps {
  readonly hasLogin: boolean
  /** The login is no longer good. */
  readonly onRefused: () => void
}

/** Everything at a glance: what is stuck, how far each stage is, and where along the chain the holes are. */
export function OperatorPage({ hasLogin, onRefused }: OperatorPageProps): ReactNode {
  const [feed] = useState(() => new OverviewFeed())
  const state = useSyncExternalStore(feed.subscribe, feed.snapshot)
  const { overview } = state
  const summary = overview === undefined ? undefined : summarize(overview)
  const isRefused = state.link === 'refused'
  useEffect(() => {
    if (isRefused) onRefused()
  }, [isRefused, onRefused])
  const flagged = summary?.flagged ?? 0
  useEffect(() => {
    document.title = flagged > 0 ? `(${flagged}) flowfarm operator` : 'flowfarm operator'
    showFavicon(flagged > 0 ? 'trouble' : 'well')
  }, [flagged])
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <LiveHeader state={state} hasLogin={hasLogin} />
      <main id="content" className="page" tabIndex={-1} aria-busy={overview === undefined}>
        <h1 className="visually-hidden">Operator</h1>
        <Banners state={state} onRetry={feed.retryNow} />
        {overview === undefined || summary === undefined ? (
          <FirstLook />
        ) : (
          <>
            <SummaryPanel overview={overview} summary={summary} />
            <NeedsYou overview={overview} summary={summary} />
            <StagesPanel stages={overview.stages} rates={state.rates} />
            <CoveragePanel overview={overview} />
            <p className="page-foot soft">
              flowfarm {overview.version}, queues in {overview.queues === 'redis' ? 'Redis' : 'PostgreSQL'}, last change{' '}
              {formatTime(overview.generatedAt)}
            </p>
          </>
        )}
      </main>
    </>
  )
}
