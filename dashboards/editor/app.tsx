import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine } from '../auth/action.tsx'
import { problemText } from '../auth/auth-service.ts'
import type { SessionKeeper } from '../auth/session.ts'
import { Brand, Button } from '../kit/controls.tsx'
import { ErrorBoundary, ErrorState, Loading } from '../kit/state.tsx'
import { Link, matchPath, navigate, useLocation } from '../kit/router.tsx'
import { useToast } from '../kit/toast.tsx'
import { AccountProvider, useAccount, useKeeper } from './account.tsx'
import type { WalletSettings } from './types.ts'
import { cameBackFromGitHub } from './repository/repository-client.ts'
import { readSettings, SettingsContext, useSettings } from './settings.ts'
import { finishSignIn, placeBefore } from './wallet-sign-in.ts'
import { Workbench } from './workbench.tsx'

/** The page: the editor, for everybody; who signs in has their projects kept. */
export function App(): ReactNode {
  const {
    data: settings,
    error,
    refetch,
  } = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => readSettings(signal), staleTime: Infinity })
  if (settings === undefined) {
    return (
      <Alone>
        {error === null ? (
          <Loading label="The editor loads" rows={3} />
        ) : (
          <>
            <h1 className="visually-hidden">Editor</h1>
            <ErrorState
              title="The editor cannot be opened"
              detail={problemText(error)}
              onRetry={() => void refetch()}
            />
          </>
        )}
      </Alone>
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
  useWayBackFromGitHub()
  const slug = matchPath('/p/{slug}', path)?.['slug']
  if (path === callbackPath && wallet !== null) return <Callback wallet={wallet} />
  if (path !== '/' && slug === undefined) {
    return (
      <Alone>
        <h1>There is nothing at this address</h1>
        <p>
          <Link to="/">To the editor</Link>
        </p>
      </Alone>
    )
  }
  return <Known slug={slug} />
}

/** Says what came of the way to GitHub, and goes back to where it began. */
function useWayBackFromGitHub(): void {
  const { search } = useLocation()
  const showToast = useToast()
  useEffect(() => {
    const back = cameBackFromGitHub(search)
    if (back === undefined) return
    showToast(back.text, back.isGood ? 'good' : 'bad')
    navigate(back.slug === undefined ? '/' : `/p/${back.slug}?repository`, { isReplacing: true })
  }, [search, showToast])
}

function Callback({ wallet }: { readonly wallet: WalletSettings }): ReactNode {
  const keeper = useKeeper()
  return (
    <Alone>
      <CallbackPage wallet={wallet} keeper={keeper} />
    </Alone>
  )
}

/** What somebody may see is known when it is known who they are. */
function Known({ slug }: { readonly slug: string | undefined }): ReactNode {
  const { is } = useAccount()
  if (is === 'loading')
    return (
      <Alone>
        <Loading label="The editor loads" rows={3} />
      </Alone>
    )
  return (
    <ErrorBoundary
      what="The editor"
      hint="What you wrote is kept in this browser, and comes back when the page is loaded again."
    >
      <Workbench slug={slug} />
    </ErrorBoundary>
  )
}

function Alone({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="alone">
      <header>
        <Brand />
      </header>
      <main className="alone-main">{children}</main>
    </div>
  )
}

/** By address: a code is used once, however often React shows the page. */
const begun = new Map<string, Promise<void>>()

/** Where the wallet sends people back. What was written before is in the browser, and there again. */
function CallbackPage({
  wallet,
  keeper,
}: {
  readonly wallet: WalletSettings
  readonly keeper: SessionKeeper
}): ReactNode {
  const [address] = useState(() => location.href)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    document.title = 'Signing in – flowfarm editor'
    // The code is used up at once, and neither stays in the history nor is copied.
    history.replaceState(null, '', location.pathname)
    const finished = begun.get(address) ?? finishSignIn(wallet, new URL(address)).then((token) => keeper.adopt(token))
    begun.set(address, finished)
    finished.then(
      () => navigate(placeBefore(), { isReplacing: true }),
      (error: unknown) => setProblem(problemText(error)),
    )
  }, [address, wallet, keeper])
  if (problem === undefined) return <Loading label="Signing in…" rows={2} />
  return (
    <div className="stack">
      <h1>The sign-in did not work</h1>
      <ProblemLine problem={problem} />
      <Button look="strong" onClick={() => navigate(placeBefore(), { isReplacing: true })}>
        Back to the editor
      </Button>
    </div>
  )
}
