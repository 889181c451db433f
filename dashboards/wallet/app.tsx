import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ErrorBoundary } from '../kit/error-boundary.tsx'
import { usePlace } from '../kit/router.ts'
import { Failure, Loading } from '../kit/state.tsx'
import { AuthProvider, useAuth } from '../auth/auth-provider.tsx'
import type { SessionUser } from '../auth/session-client.ts'
import { FclWindow, isFclPath } from './fcl/fcl-window.tsx'
import { AccountPage } from './pages/account-page.tsx'
import { AccountsPage } from './pages/accounts-page.tsx'
import { ActivityPage } from './pages/activity-page.tsx'
import { AuthorizePage, authorizePath } from './pages/authorize-page.tsx'
import { CallbackPage } from './pages/callback-page.tsx'
import { LinkPage, readLinkToken } from './pages/link-page.tsx'
import { PasskeysPage } from './pages/passkeys-page.tsx'
import { SendPage } from './pages/send-page.tsx'
import { SignInPage } from './pages/sign-in-page.tsx'
import { Alone } from './parts/alone.tsx'
import { HomeNote } from './parts/home-note.tsx'
import { Header } from './parts/header.tsx'
import { PageTitle } from './parts/page-title.tsx'
import { problemText } from '../auth/problem.ts'
import { createQueryClient, readSettings, SettingsContext } from './settings.ts'

/** The page: who is signed in sees a wallet, and everybody else how to sign in. */
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
          <Loading label="The wallet loads" rows={2} />
        ) : (
          <Failure title="The wallet cannot be opened" detail={problemText(error)} onRetry={() => void refetch()} />
        )}
      </Alone>
    )
  }
  return (
    <SettingsContext value={settings}>
      <AuthProvider
        gotrueUrl={settings.gotrue_url}
        passkeyAuthUrl={settings.passkey_auth_url}
        rpId={settings.rp_id}
        rpName={settings.rp_name}
        cookieDomain={settings.cookie_domain ?? undefined}
      >
        <HomeNote />
        <Pages />
      </AuthProvider>
    </SettingsContext>
  )
}

const pages: Readonly<Record<string, () => ReactNode>> = {
  '/': AccountsPage,
  '/send': SendPage,
  '/activity': ActivityPage,
  '/passkeys': PasskeysPage,
  '/account': AccountPage,
}

function Pages(): ReactNode {
  const { state, keeper, options } = useAuth()
  const { path } = usePlace()
  const [linkToken, setLinkToken] = useState(readLinkToken)
  const isCallback = path === new URL(options.callbackPath, location.origin).pathname
  if (linkToken !== undefined && (isCallback || path === '/'))
    return <LinkPage token={linkToken} onDone={() => setLinkToken(undefined)} />
  if (isCallback) return <CallbackPage />
  if (path === authorizePath) return <AuthorizePage />
  if (isFclPath(path)) return <FclWindow path={path} />
  if (state.status === 'loading')
    return (
      <Alone>
        <Loading label="It is looked whether you are signed in" rows={2} />
      </Alone>
    )
  if (state.status === 'unknown')
    return (
      <Alone>
        <Failure
          title="It is not known whether you are signed in"
          detail={state.detail}
          onRetry={() => void keeper.load()}
        />
      </Alone>
    )
  if (state.status === 'signed-out') return <SignInPage hasEnded={state.reason === 'ended'} />
  return <Wallet key={state.session.user.id} user={state.session.user} />
}

/** What one user was shown is not for the next one: each has answers of their own. */
function Wallet({ user }: { readonly user: SessionUser }): ReactNode {
  const { path } = usePlace()
  const [client] = useState(createQueryClient)
  const Page = Object.hasOwn(pages, path) ? pages[path] : undefined
  return (
    <QueryClientProvider client={client}>
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <Header user={user} />
      <main id="main" className="page">
        <ErrorBoundary
          key={path}
          what="This page"
          hint="Your accounts are as they were. If you were sending something, look at the activity before you send it again."
        >
          {Page === undefined ? <PageTitle title="There is nothing at this address" /> : <Page />}
        </ErrorBoundary>
      </main>
    </QueryClientProvider>
  )
}
