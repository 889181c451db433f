import { useQuery, useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { startPage } from '../kit/start-page.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { api, queryClient, sessionKey } from './api.ts'
import { ApiProblem, problemText } from '../kit/api.ts'
import { showFavicon } from './parts.tsx'
import { OperatorPage } from './operator-page.tsx'
import './operator.css'

const againMs = 3000
const slowMs = 4000

/** The page for whoever may see it, the login for whoever may not yet, and words for what stands in the way. */
function App(): ReactNode {
  const session = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => api.session(signal),
    staleTime: Infinity,
    retry: false,
    networkMode: 'always',
    refetchInterval: (query) => (query.state.status === 'error' ? againMs : false),
  })
  const isSlow = useIsAfter(slowMs)
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: sessionKey })
  if (session.data !== undefined && !(session.error instanceof ApiProblem && session.error.status === 403)) {
    if (!session.data.isAllowed) return <Login onLogin={refresh} />
    return <OperatorPage hasLogin={session.data.access === 'token'} onRefused={refresh} />
  }
  if (session.error instanceof ApiProblem && session.error.status === 403) {
    return <Notice title="This page is closed">{session.error.message}</Notice>
  }
  if (session.isError) {
    return (
      <Notice title="The API cannot be reached" tone="bad" isAlert>
        {problemText(session.error)} It is asked again every few seconds. Is the process running? Its log says more.
      </Notice>
    )
  }
  return isSlow ? <Notice title="Waiting for the API…">It takes longer than usual to answer.</Notice> : null
}

function useIsAfter(ms: number): boolean {
  const [isAfter, setIsAfter] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsAfter(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isAfter
}

showFavicon('well')
startPage({ app: <App />, queryClient })

/** Asks for the token that opens the page. */
function Login({ onLogin }: { readonly onLogin: () => void }): ReactNode {
  const [token, setToken] = useState('')
  const logIn = useMutation({ mutationFn: () => api.logIn(token.trim()), onSuccess: onLogin })
  const error = logIn.error === null ? undefined : loginProblem(logIn.error)
  return (
    <Alone>
      <form
        className="login"
        onSubmit={(event) => {
          event.preventDefault()
          logIn.mutate()
        }}
      >
        <h1>Operator</h1>
        <p className="soft">Enter the admin token of this farm, or an admin JWT.</p>
        <div className="field">
          <label htmlFor="token">Token</label>
          <input
            id="token"
            className="input"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            spellCheck={false}
            value={token}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : 'token-error'}
            onChange={(event) => setToken(event.target.value)}
          />
          {error !== undefined && (
            <p id="token-error" className="field-error" role="alert">
              {error}
            </p>
          )}
        </div>
        <Button type="submit" look="strong" disabled={logIn.isPending}>
          {logIn.isPending ? 'Checking…' : 'Log in'}
        </Button>
      </form>
    </Alone>
  )
}

function loginProblem(error: Error): string {
  return error instanceof ApiProblem && error.status === 401
    ? 'This token is not accepted. It is the value of ADMIN_TOKEN.'
    : problemText(error)
}

interface NoticeProps {
  readonly title: string
  readonly tone?: 'neutral' | 'bad'
  readonly isAlert?: boolean
  readonly children: ReactNode
}

/** A page with one thing to say. */
function Notice({ title, tone = 'neutral', isAlert = false, children }: NoticeProps): ReactNode {
  return (
    <Alone>
      <div className={`notice ${tone}`} role={isAlert ? 'alert' : 'status'}>
        {tone === 'bad' && <Icon name="alert" size={20} />}
        <h1>{title}</h1>
        <p className="soft">{children}</p>
      </div>
    </Alone>
  )
}

/** A card in the middle of an otherwise empty page. */
function Alone({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="alone">
      <header>
        <Brand />
        <ThemeToggle />
      </header>
      <main>{children}</main>
    </div>
  )
}
