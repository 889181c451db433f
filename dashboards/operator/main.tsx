import { useQuery, useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Brand, Button, Form, Icon } from '../kit/controls.tsx'
import { startPage } from '../kit/start-page.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { api, queryClient, sessionKey } from './api.ts'
import { ApiProblem, problemText } from '../kit/api.ts'
import { showFavicon } from './parts.tsx'
import { OperatorPage } from './operator-page.tsx'
import './operator.css'

const retryMs = 3000
const slowMs = 4000

function App(): ReactNode {
  const session = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => api.session(signal),
    staleTime: Infinity,
    retry: false,
    networkMode: 'always',
    refetchInterval: (query) => (query.state.status === 'error' ? retryMs : false),
  })
  const isSlow = useIsAfter(slowMs)
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: sessionKey })
  if (session.data !== undefined && !(session.error instanceof ApiProblem && session.error.status === 403)) {
    if (!session.data.isAllowed) return <Login onLogin={refresh} />
    return <OperatorPage hasLogin={session.data.access === 'token'} onRefused={refresh} />
  }
  if (session.error instanceof ApiProblem && session.error.status === 403) {
    return <Notice title="Access denied">{session.error.message}</Notice>
  }
  if (session.isError) {
    return (
      <Notice title="Could not reach the API" tone="bad" isAlert>
        {problemText(session.error)} Retrying every few seconds. If this continues, check the log of the process.
      </Notice>
    )
  }
  return isSlow ? <Notice title="Waiting for the API…">The response takes longer than usual.</Notice> : null
}

function useIsAfter(ms: number): boolean {
  const [isAfter, setIsAfter] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsAfter(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isAfter
}

showFavicon('ok')
startPage({ app: <App />, queryClient })

function Login({ onLogin }: { readonly onLogin: () => void }): ReactNode {
  const [token, setToken] = useState('')
  const logIn = useMutation({ mutationFn: () => api.logIn(token.trim()), onSuccess: onLogin })
  const error = logIn.error === null ? undefined : loginProblem(logIn.error)
  return (
    <CenteredCard>
      <Form
        className="login"
        onSubmit={() => {
          logIn.mutate()
        }}
      >
        <h1>Operator</h1>
        <p className="soft">Enter the admin token (ADMIN_TOKEN) or an admin JWT.</p>
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
      </Form>
    </CenteredCard>
  )
}

function loginProblem(error: Error): string {
  return error instanceof ApiProblem && error.status === 401
    ? 'The token was not accepted: it must be the value of ADMIN_TOKEN or a valid admin JWT.'
    : problemText(error)
}

interface NoticeProps {
  readonly title: string
  readonly tone?: 'neutral' | 'bad'
  readonly isAlert?: boolean
  readonly children: ReactNode
}

function Notice({ title, tone = 'neutral', isAlert = false, children }: NoticeProps): ReactNode {
  return (
    <CenteredCard>
      <div className={`notice ${tone}`} role={isAlert ? 'alert' : 'status'}>
        {tone === 'bad' && <Icon name="alert" size={20} />}
        <h1>{title}</h1>
        <p className="soft">{children}</p>
      </div>
    </CenteredCard>
  )
}

function CenteredCard({ children }: { readonly children: ReactNode }): ReactNode {
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
