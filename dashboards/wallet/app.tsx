import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useState, useEffect } from 'react'
import type { ReactNode } from 'react'
import { AuthProvider, useAuth } from '../auth/auth-provider.tsx'
import { ProblemLine, QueryState } from '../auth/action.tsx'
import { isRetryable, problemText } from '../auth/auth-service.ts'
import type { SessionUser } from '../auth/session.ts'
import { SignInForm } from '../auth/sign-in-form.tsx'
import { finishCallback } from '../auth/sign-in.ts'
import { ApplicationMenu } from '../kit/applications.tsx'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { ErrorBoundary, Loading } from '../kit/state.tsx'
import { Link, useLocation, navigate } from '../kit/router.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { useToast } from '../kit/toast.tsx'
import { DeleteAccount, EmailAddress } from './pages/account-page.tsx'
import { ApiKeys, LinkedEditor, OwnApps, OwnPasskeys, Sessions } from './pages/account-links.tsx'
import { EmailRecovery } from './pages/email-recovery.tsx'
import { FclWindow, isFclPath } from './fcl/fcl-window.tsx'
import { AddDevicePage, addDevicePath } from './pages/add-device.tsx'
import { AccountsPage } from './pages/accounts-page.tsx'
import { ActivityPage } from './pages/activity-page.tsx'
import { AuthorizePage, authorizePath, takePendingRequest } from './pages/authorize-page.tsx'
import { LinkPage, readLinkToken } from './pages/link-page.tsx'
import { PasskeysPage } from './pages/passkeys-page.tsx'
import { AppsPage } from './pages/apps-page.tsx'
import { ContactsPage } from './pages/contacts-page.tsx'
import { ReceivePage } from './pages/receive-page.tsx'
import { SecurityPage } from './pages/security-page.tsx'
import { SendPage } from './pages/send-page.tsx'
import { CenteredCard, PageTitle, SessionCheck } from './pages/layout.tsx'
import { readSettings, SettingsContext, useSettings, hasOwnAuth } from './own-data.ts'
import { createQueryClient } from '../kit/query-client.ts'

/** Passkeys work on the wallet's own domain only. */
function HomeNote(): ReactNode {
  const { url, rp_id: rpId } = useSettings()
  const { hostname } = location
  if (hostname === rpId || hostname.endsWith(`.${rpId}`)) return null
  return (
    <p className="banner" role="alert">
      Passkeys do not work at this address. <a href={url}>Open the wallet at {new URL(url).host}</a>
    </p>
  )
}

/** A third-party auth server manages users itself. */
function AccountPage(): ReactNode {
  const isOwn = hasOwnAuth(useSettings())
  return (
    <>
      <PageTitle title="Profile" />
      {isOwn && <EmailAddress />}
      <OwnPasskeys />
      <section className="panel" aria-label="Security">
        <div className="panel-text apart">
          <span>See all sign-ins, changes of passkeys and signatures.</span>
          <Link className="button small" to="/security">
            Security log
          </Link>
        </div>
      </section>
      <EmailRecovery />
      <Sessions isListed={isOwn} />
      <OwnApps />
      <LinkedEditor />
      <ApiKeys />
      {isOwn && <DeleteAccount />}
    </>
  )
}

export function App(): ReactNode {
  const {
    data: settings,
    error,
    refetch,
  } = useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => readSettings(signal), staleTime: Infinity })
  if (settings === undefined) {
    return (
      <CenteredCard>
        <QueryState what="the wallet" rows={2} error={error} refetch={refetch} />
      </CenteredCard>
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
  '/receive': ReceivePage,
  '/contacts': ContactsPage,
  '/activity': ActivityPage,
  '/apps': AppsPage,
  '/passkeys': PasskeysPage,
  '/account': AccountPage,
  '/security': SecurityPage,
}

function Pages(): ReactNode {
  const { state, options } = useAuth()
  const { path } = useLocation()
  const [linkToken, setLinkToken] = useState(readLinkToken)
  const isCallback = path === new URL(options.callbackPath, location.origin).pathname
  if (linkToken !== undefined && (isCallback || path === '/'))
    return <LinkPage token={linkToken} onDone={() => setLinkToken(undefined)} />
  if (isCallback) return <CallbackPage />
  if (path === authorizePath) return <AuthorizePage />
  if (path === addDevicePath) return <AddDevicePage />
  if (isFclPath(path)) return <FclWindow path={path} />
  if (state.status === 'loading' || state.status === 'unknown') return <SessionCheck />
  if (state.status === 'signed-out') return <SignInPage hasEnded={state.reason === 'ended'} />
  return <Wallet key={state.session.user.id} user={state.session.user} />
}

/** A separate cache per user. */
function Wallet({ user }: { readonly user: SessionUser }): ReactNode {
  const { path } = useLocation()
  const [client] = useState(() => createQueryClient({ mayRecover: isRetryable }))
  const Page = Object.hasOwn(pages, path) ? pages[path] : undefined
  return (
    <QueryClientProvider client={client}>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Header user={user} />
      <main id="main" className="page">
        <ErrorBoundary
          key={path}
          what="This page"
          hint={
            'Your accounts are not affected. ' +
            'If you were sending FLOW, check the activity page before you send it again.'
          }
        >
          {Page === undefined ? <PageTitle title="Page not found" /> : <Page />}
        </ErrorBoundary>
      </main>
    </QueryClientProvider>
  )
}

function SignInPage({ hasEnded }: { readonly hasEnded: boolean }): ReactNode {
  useEffect(() => {
    document.title = 'Sign in – flowfarm wallet'
  }, [])
  return (
    <CenteredCard hasMenu>
      <SignInForm>
        <div className="sign-in-head">
          <h1>Your wallet for Flow</h1>
          <p className="soft">
            Its keys are passkeys: they stay on your devices, and you unlock them with your face, fingerprint or PIN.
          </p>
        </div>
        {hasEnded && (
          <p className="banner" role="status">
            You were signed out. Sign in to continue.
          </p>
        )}
      </SignInForm>
    </CenteredCard>
  )
}

/** Single-use, however often React renders the page. */
const started = new Map<string, Promise<void>>()

function CallbackPage(): ReactNode {
  const { options, sessionManager } = useAuth()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    document.title = 'Signing in – flowfarm wallet'
    const address = location.href
    const finished =
      started.get(address) ?? finishCallback(options, new URL(address)).then((token) => sessionManager.adopt(token))
    started.set(address, finished)
    finished.then(
      () => navigate(takePendingRequest() ?? '/', { isReplacing: true }),
      (error: unknown) => {
        history.replaceState(null, '', location.pathname)
        setProblem(problemText(error))
      },
    )
  }, [options, sessionManager])
  return (
    <CenteredCard>
      {problem === undefined ? (
        <Loading label="Signing in…" rows={2} />
      ) : (
        <div className="stack">
          <h1>Sign-in failed</h1>
          <ProblemLine problem={problem} />
          <Button look="strong" onClick={() => navigate('/', { isReplacing: true })}>
            Back to the wallet
          </Button>
        </div>
      )}
    </CenteredCard>
  )
}

const parts = [
  { to: '/', name: 'Accounts' },
  { to: '/send', name: 'Send' },
  { to: '/receive', name: 'Receive' },
  { to: '/activity', name: 'Activity' },
  { to: '/contacts', name: 'Contacts' },
  { to: '/apps', name: 'Apps' },
  { to: '/passkeys', name: 'Passkeys' },
  { to: '/account', name: 'Profile' },
] as const

function Header({ user }: { readonly user: SessionUser }): ReactNode {
  const { path } = useLocation()
  const { sessionManager } = useAuth()
  const [isLeaving, setIsLeaving] = useState(false)
  const showToast = useToast()
  const leave = async (): Promise<void> => {
    setIsLeaving(true)
    try {
      await sessionManager.signOut()
      navigate('/', { isReplacing: true })
    } catch (error) {
      showToast(`Signed out in this browser, but the server could not end the session: ${problemText(error)}`, 'bad')
    }
  }
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <ApplicationMenu current="wallet" />
        <nav aria-label="Wallet">
          <ul>
            {parts.map(({ to, name }) => (
              <li key={to}>
                <Link to={to} aria-current={path === to ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="top-end">
          <span className="who" title={user.email ?? undefined}>
            {user.email ?? 'Passkey only'}
          </span>
          <ThemeToggle />
          <Button
            look="plain"
            isIcon
            aria-label="Sign out"
            title="Sign out in all tabs"
            disabled={isLeaving}
            onClick={() => void leave()}
          >
            <Icon name="leave" />
          </Button>
        </div>
      </div>
    </header>
  )
}
