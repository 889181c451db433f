import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine } from '../auth/action.tsx'
import { problemText } from '../auth/auth-service.ts'
import type { SessionManager } from '../auth/session.ts'
import { Button } from '../kit/controls.tsx'
import { ErrorBoundary, ErrorState, Loading } from '../kit/state.tsx'
import { Link, matchPath, navigate, useLocation } from '../kit/router.tsx'
import { useToast } from '../kit/toast.tsx'
import { AccountProvider, useAccount, useSessionManager } from './account.tsx'
import type { WalletSettings } from './types.ts'
import { readRedirectResult } from './repository/repository-client.ts'
import { readSettings, SettingsContext, useSettings } from './settings.ts'
import { finishSignIn, returnPath } from './wallet-sign-in.ts'
import { CenteredCard, Workbench } from './workbench.tsx'

export function App(): ReactNode {
  const {
    data: settings,
    error,
    refetch,
  } = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => readSettings(signal), staleTime: Infinity })
  if (settings === undefined) {
    return (
      <CenteredCard>
        {error === null ? (
          <Loading label="Loading the editor…" rows={3} />
        ) : (
          <>
            <h1 className="visually-hidden">Editor</h1>
            <ErrorState title="Could not load the editor" detail={problemText(error)} onRetry={() => void refetch()} />
          </>
        )}
      </CenteredCard>
    )
  }
  return (
    <SettingsContext value={settings}>
      <AccountProvider settings={settings}>
        <Pages />
      </AccountProvider>
    </SettingsContext>
  )
}

const callbackPath = '/developer/callback'

function Pages(): ReactNode {
  const { wallet } = useSettings()
  const { path } = useLocation()
  useRedirectResult()
  const slug = matchPath('/p/{slug}', path)?.['slug']
  if (path === callbackPath && wallet !== null) return <Callback wallet={wallet} />
  if (path !== '/' && slug === undefined) {
    return (
      <CenteredCard>
        <h1>Page not found</h1>
        <p>
          <Link to="/">Open the editor</Link>
        </p>
      </CenteredCard>
    )
  }
  return <Known slug={slug} />
}

function useRedirectResult(): void {
  const { search } = useLocation()
  const showToast = useToast()
  useEffect(() => {
    const back = readRedirectResult(search)
    if (back === undefined) return
    showToast(back.text, back.isGood ? 'good' : 'bad')
    navigate(back.slug === undefined ? '/' : `/p/${back.slug}?repository`, { isReplacing: true })
  }, [search, showToast])
}

function Callback({ wallet }: { readonly wallet: WalletSettings }): ReactNode {
  const sessionManager = useSessionManager()
  return (
    <CenteredCard>
      <CallbackPage wallet={wallet} sessionManager={sessionManager} />
    </CenteredCard>
  )
}

function Known({ slug }: { readonly slug: string | undefined }): ReactNode {
  const { is } = useAccount()
  if (is === 'loading')
    return (
      <CenteredCard>
        <Loading label="Loading the editor…" rows={3} />
      </CenteredCard>
    )
  return (
    <ErrorBoundary
      what="The editor"
      hint="Your work is stored in this browser and is restored when you reload the page."
    >
      <Workbench slug={slug} />
    </ErrorBoundary>
  )
}

/** Codes are single-use, however often React renders the page. */
const started = new Map<string, Promise<void>>()

function CallbackPage({
  wallet,
  sessionManager,
}: {
  readonly wallet: WalletSettings
  readonly sessionManager: SessionManager
}): ReactNode {
  const [address] = useState(() => location.href)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    document.title = 'Signing in – flowfarm editor'
    history.replaceState(null, '', location.pathname)
    const finished =
      started.get(address) ?? finishSignIn(wallet, new URL(address)).then((token) => sessionManager.adopt(token))
    started.set(address, finished)
    finished.then(
      () => navigate(returnPath(), { isReplacing: true }),
      (error: unknown) => setProblem(problemText(error)),
    )
  }, [address, wallet, sessionManager])
  if (problem === undefined) return <Loading label="Signing in…" rows={2} />
  return (
    <div className="stack">
      <h1>Sign-in failed</h1>
      <ProblemLine problem={problem} />
      <Button look="strong" onClick={() => navigate(returnPath(), { isReplacing: true })}>
        Back to the editor
      </Button>
    </div>
  )
}
