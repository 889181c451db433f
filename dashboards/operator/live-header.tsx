import type { ReactNode } from 'react'
import { Button } from '../kit/button.tsx'
import { formatDuration, formatNumber } from '../kit/formats.ts'
import { Icon } from '../kit/icon.tsx'
import { ThemeToggle } from '../kit/theme-toggle.tsx'
import { useNow } from '../kit/use-now.ts'
import { api } from './api.ts'
import { Brand } from './brand.tsx'
import type { FeedState } from './overview-feed.ts'
import { queryClient, sessionKey } from './query-client.ts'

/** Which chain, how high, and whether what is shown is of this moment. */
export function LiveHeader({ state, hasLogin }: { readonly state: FeedState; readonly hasLogin: boolean }): ReactNode {
  const { chainId = null, head = null } = state.overview ?? {}
  const logOut = async (): Promise<void> => {
    await api.logOut()
    await queryClient.invalidateQueries({ queryKey: sessionKey })
  }
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <span className="where">
          <span className="wide-only">Operator</span>
          {chainId !== null && (
            <span className="badge" title="Chain">
              {chainId.replace(/^flow-/, '')}
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
    // A restart of the API is over in a few seconds and no reason for alarm.
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
