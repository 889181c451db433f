import type { Query, QueryClient } from '@tanstack/react-query'
import { createQueryClient } from '../kit/query-client.ts'
import { startPage } from '../kit/start-page.tsx'
import './explorer.css'
import { ApiProblem, mayRecover } from '../kit/api.ts'
import { App } from './app.tsx'

const firstDelayMs = 2000
const maxDelayMs = 60_000

function isFailing({ state }: Query): boolean {
  return state.status === 'error' && state.fetchStatus === 'idle' && mayRecover(state.error)
}

/** One request probes the server for the whole page, so that a restarted server is not flooded. */
function retryFailed(client: QueryClient): void {
  const cache = client.getQueryCache()
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const failing = (): readonly Query[] => cache.findAll({ type: 'active', predicate: isFailing })
  const schedule = (): void => {
    if (timer !== undefined || failing().length === 0) return
    const maxMs = Math.min(maxDelayMs, firstDelayMs * 2 ** attempts++)
    timer = setTimeout(() => void retry(), maxMs * (0.75 + Math.random() / 4))
  }
  const retry = async (): Promise<void> => {
    if (!document.hidden && (await isReachable())) await client.refetchQueries({ type: 'active', predicate: isFailing })
    timer = undefined
    if (failing().length === 0) attempts = 0
    if (!document.hidden) schedule()
  }
  const retryNow = (): void => {
    if (document.hidden || timer !== undefined) return
    attempts = 0
    schedule()
  }
  cache.subscribe(schedule)
  document.addEventListener('visibilitychange', retryNow)
}

/** Any response counts: a proxy may not forward the route. */
async function isReachable(): Promise<boolean> {
  try {
    await fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(maxDelayMs) })
    return true
  } catch {
    return false
  }
}

const queryClient = createQueryClient({
  mayRecover: (error) => mayRecover(error) && !(error instanceof ApiProblem && error.code === 'timeout'),
})
retryFailed(queryClient)
startPage({ app: <App />, queryClient })
