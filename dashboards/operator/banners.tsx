import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { formatDuration, formatRange } from '../kit/formats.ts'
import { Icon } from '../kit/icon.tsx'
import { useToast } from '../kit/toast.tsx'
import { useNow } from '../kit/use-now.ts'
import { api, problemText } from './api.ts'
import type { Drill } from './contract.ts'
import type { FeedState } from './overview-feed.ts'

/** What changes the meaning of everything below it: a broken connection, a fault that somebody set on purpose. */
export function Banners({ state, onRetry }: { readonly state: FeedState; readonly onRetry: () => void }): ReactNode {
  return (
    <>
      {state.link === 'broken' && <BrokenBanner state={state} onRetry={onRetry} />}
      {state.overview !== undefined && state.overview.stuckSessions > 0 && (
        <StuckBanner count={state.overview.stuckSessions} />
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
  // A short break mends itself before anybody has read about it.
  if (overview !== undefined && now - brokenSince < 2000) return null
  const age = formatDuration((now - brokenSince) / 1000)
  const shown = overview === undefined ? '' : ` What you see is ${age} old.`
  return (
    <div className="banner bad floating" role="alert">
      <Icon name="alert" />
      <p>
        <strong>{problem}</strong>
        {shown}
      </p>
      <span className="soft" aria-hidden="true">
        Next try in {formatDuration((retryAt - now) / 1000)}
      </span>
      <Button isSmall onClick={onRetry}>
        Try now
      </Button>
    </div>
  )
}

function StuckBanner({ count }: { readonly count: number }): ReactNode {
  return (
    <div className="banner bad" role="alert">
      <Icon name="alert" />
      <p>
        <strong>{count === 1 ? 'A database session does not end.' : `${count} database sessions do not end.`}</strong>{' '}
        PostgreSQL cannot interrupt their statements, and each occupies a processor. The log of the query service has
        the process ids and the command that ends them.
      </p>
    </div>
  )
}

function DrillBanner({ drill }: { readonly drill: Drill }): ReactNode {
  const say = useToast()
  const clear = useMutation({
    mutationFn: () => api.clearDrill(drill.worker),
    onSuccess: () => say(`${drill.worker} works again as it should.`),
    onError: (error) => say(problemText(error), 'bad'),
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
