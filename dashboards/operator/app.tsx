import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { ApiProblem, api, problemText } from './api.ts'
import { Login } from './login.tsx'
import { Notice } from './notice.tsx'
import { OperatorPage } from './operator-page.tsx'
import { queryClient, sessionKey } from './query-client.ts'

const againMs = 3000
const slowMs = 4000

/** The page for whoever may see it, the login for whoever may not yet, and words for what stands in the way. */
export function App(): ReactNode {
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
