import { useMutation } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { ApplicationMenu } from '../kit/applications.tsx'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { formatTime, formatDuration, formatNumber, formatCompact, formatRate, formatRange } from '../kit/formats.ts'
import { networkName } from '../kit/network-names.ts'
import { Loading } from '../kit/state.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { useToast } from '../kit/toast.tsx'
import { useNow } from '../kit/time.tsx'
import { api, queryClient, sessionKey } from './api.ts'
import { problemText } from '../kit/api.ts'
import { showFavicon } from './parts.tsx'
import type { Drill, Overview, Stage } from './answers.gen.ts'
import { CoveragePanel } from './coverage-panel.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { OverviewFeed } from './overview-feed.ts'
import type { FeedState } from './overview-feed.ts'
import { StagesPanel } from './stages-panel.tsx'
import { summarize } from './summary.ts'
import type { Summary } from './summary.ts'

interface OperatorPageProps {
  readonly hasLogin: boolean
  readonly onRefused: () => void
}

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
    showFavicon(flagged > 0 ? 'alert' : 'ok')
  }, [flagged])
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <LiveHeader state={state} hasLogin={hasLogin} />
      <main id="content" className="page" tabIndex={-1} aria-busy={overview === undefined}>
        <h1 className="visually-hidden">Operator</h1>
        <Banners state={state} onRetry={feed.retryNow} />
        {overview === undefined || summary === undefined ? (
          <OverviewLoading />
        ) : (
          <>
            <SummaryPanel overview={overview} summary={summary} />
            <AttentionPanel overview={overview} summary={summary} />
            <StagesPanel stages={overview.stages} rates={state.rates} />
            <CoveragePanel overview={overview} />
            <p className="page-foot soft">
              {`flowfarm ${overview.version}, queues in ${queueStore(overview)}, updated `}
              {formatTime(overview.generatedAt)}
            </p>
          </>
        )}
      </main>
    </>
  )
}

function OverviewLoading(): ReactNode {
  return (
    <>
      <section className="panel summary" aria-hidden="true">
        <div className="state" />
      </section>
      <section className="panel">
        <header>
          <h2>Stages</h2>
        </header>
        <Loading rows={6} label="Loading overview…" />
      </section>
    </>
  )
}

function LiveHeader({ state, hasLogin }: { readonly state: FeedState; readonly hasLogin: boolean }): ReactNode {
  const { chainId = null, head = null } = state.overview ?? {}
  const logOut = async (): Promise<void> => {
    await api.logOut()
    await queryClient.invalidateQueries({ queryKey: sessionKey })
  }
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <ApplicationMenu current="operator" />
        <span className="where">
          {chainId !== null && (
            <span className="badge" title="Chain">
              {networkName(chainId)}
            </span>
          )}
          {head !== null && (
            <span className="soft nowrap" title="Head of the chain">
              #{formatNumber(head)}
            </span>
          )}
        </span>
        <Link state={state} />
        <nav aria-label="Operator">
          <a className="button plain" href="/operator/queues">
            Queues
            <Icon name="external" size={14} />
          </a>
          <ThemeToggle />
          {hasLogin && (
            <Button look="plain" isIcon aria-label="Log out" title="Log out" onClick={() => void logOut()}>
              <Icon name="leave" />
            </Button>
          )}
        </nav>
      </div>
    </header>
  )
}

function Link({ state: { link, brokenSince } }: { readonly state: FeedState }): ReactNode {
  const now = useNow()
  const age = brokenSince === undefined ? 0 : Math.max(0, (now - brokenSince) / 1000)
  const looks = {
    connecting: { tone: 'warn', text: 'Connecting' },
    live: { tone: 'good', text: 'Live' },
    // A restart of the API takes a few seconds.
    broken:
      age < 5 ? { tone: 'warn', text: 'Reconnecting' } : { tone: 'bad', text: `Stale for ${formatDuration(age)}` },
    refused: { tone: 'bad', text: 'Logged out' },
  } as const
  const { tone, text } = looks[link]
  return (
    <span className={`live ${tone}`}>
      <i aria-hidden="true" />
      <span>{text}</span>
    </span>
  )
}

function SummaryPanel({ overview, summary }: { readonly overview: Overview; readonly summary: Summary }): ReactNode {
  const { head, stored } = overview
  return (
    <section className={`panel summary ${summary.tone}`} aria-label="Summary">
      <div className="verdict">
        <span className="sign">
          <Icon name={verdictIcons[summary.tone]} size={18} />
        </span>
        <div>
          <p className="title" role="status">
            {summary.verdict}
          </p>
          <p className="soft">{summary.detail}</p>
        </div>
      </div>
      <dl>
        <Figure name="Head" value={head === null ? '–' : formatNumber(head)} note={lagNote(summary.lag)} />
        <Figure
          name="Stored"
          value={stored === null ? '–' : formatCompact(stored.to - stored.from)}
          note={stored === null ? '' : `from ${formatNumber(stored.from)}`}
        />
        <Figure name="Backlog" value={formatCompact(summary.backlog)} note="heights" />
        <Figure name="In flight" value={formatNumber(summary.activeLeases)} note="ranges" />
        <Figure name="Throughput" value={formatRate(summary.rate)} note="heights / s" />
        <Figure name="ETA" value={etaText(summary)} note="slowest worker" />
      </dl>
    </section>
  )
}

const verdictIcons = { good: 'check', busy: 'wait', neutral: 'wait', warn: 'alert', bad: 'alert' } as const

function Figure({
  name,
  value,
  note,
}: {
  readonly name: string
  readonly value: string
  readonly note: string
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="value">{value}</span>
        <span className="note">{note}</span>
      </dd>
    </div>
  )
}

function lagNote(lag: number | undefined): string {
  if (lag === undefined) return 'no blocks stored yet'
  return lag === 0 ? 'up to date' : `${formatNumber(lag)} behind`
}

function etaText({ backlog, etaSeconds }: Summary): string {
  if (backlog === 0) return etaSeconds === undefined ? '–' : 'now'
  return etaSeconds === undefined ? '–' : formatDuration(etaSeconds)
}

function Banners({ state, onRetry }: { readonly state: FeedState; readonly onRetry: () => void }): ReactNode {
  return (
    <>
      {state.link === 'broken' && <BrokenBanner state={state} onRetry={onRetry} />}
      {state.overview !== undefined && state.overview.stuckSessions > 0 && (
        <StuckBanner count={state.overview.stuckSessions} />
      )}
      {state.overview?.stages.map(
        ({ name, own }) => own !== null && own.error !== null && <OwnWorkerBanner key={name} name={name} own={own} />,
      )}
      {state.overview?.drills.map((drill) => (
        <DrillBanner key={drill.worker} drill={drill} />
      ))}
    </>
  )
}

function BrokenBanner({ state, onRetry }: { readonly state: FeedState; readonly onRetry: () => void }): ReactNode {
  const now = useNow()
  const { brokenSince = now, retryAt = now, problem, overview } = state
  // A short interruption recovers before the operator could read about it.
  if (overview !== undefined && now - brokenSince < 2000) return null
  const age = formatDuration((now - brokenSince) / 1000)
  const ageNote = overview === undefined ? '' : ` The data shown is ${age} old.`
  return (
    <div className="banner bad floating" role="alert">
      <Icon name="alert" />
      <p>
        <strong>{problem}</strong>
        {ageNote}
      </p>
      <span className="soft" aria-hidden="true">
        Retrying in {formatDuration((retryAt - now) / 1000)}
      </span>
      <Button isSmall onClick={onRetry}>
        Retry now
      </Button>
    </div>
  )
}

function StuckBanner({ count }: { readonly count: number }): ReactNode {
  const title = count === 1 ? 'A database session cannot be ended.' : `${count} database sessions cannot be ended.`
  return (
    <div className="banner bad" role="alert">
      <Icon name="alert" />
      <p>
        <strong>{title}</strong> PostgreSQL cannot interrupt the statement, and each session uses one CPU core. The log
        of the query service lists the process ids and the command to end them.
      </p>
    </div>
  )
}

function OwnWorkerBanner({
  name,
  own: { version, error },
}: {
  readonly name: string
  readonly own: NonNullable<Stage['own']>
}): ReactNode {
  return (
    <div className="banner bad" role="alert">
      <Icon name="alert" />
      <p>
        <strong>The files of {name} could not be loaded:</strong> {error}
        <br />
        Its tables of version {version} are served, without new blocks. Fix the files in WORKERS_DIR: they are loaded
        again within 30 s.
      </p>
    </div>
  )
}

function DrillBanner({ drill }: { readonly drill: Drill }): ReactNode {
  const showToast = useToast()
  const clear = useMutation({
    mutationFn: () => api.clearDrill(drill.worker),
    onSuccess: () => showToast(`Drill cleared: ${drill.worker} is back to normal.`),
    onError: (error) => showToast(problemText(error), 'bad'),
  })
  return (
    <div className="banner" role="status">
      <Icon name="alert" />
      <p>
        <strong>Fault drill:</strong> {drill.worker} fails on purpose at {formatRange(drill)}.
        {drill.reason !== null && ` ${drill.reason}`}
      </p>
      <Button isSmall disabled={clear.isPending} onClick={() => clear.mutate()}>
        Clear drill
      </Button>
    </div>
  )
}

function queueStore({ queues }: Overview): string {
  return queues === 'redis' ? 'Redis' : 'PostgreSQL'
}
