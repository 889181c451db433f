import type { Query, QueryClient } from '@tanstack/react-query'
import { createQueryClient } from '../kit/query-client.ts'
import { startPage } from '../kit/start-page.tsx'
import './explorer.css'
import { ApiProblem, mayRecover } from '../kit/api.ts'
import { App } from './app.tsx'

const firstPauseMs = 2000
const maxPauseMs = 60_000

function isFailing({ state }: Query): boolean {
  return state.status === 'error' && state.fetchStatus === 'idle' && mayRecover(state.error)
}

/**
 * Loads again what the page shows an error for, once the server can be reached. One request probes the server for the
 * whole page: an error stays in place, and a server that comes back is not flooded.
 */
function retryFailed(client: QueryClient): void {
  const cache = client.getQueryCache()
  let pauses = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const failing = (): readonly Query[] => cache.findAll({ type: 'active', predicate: isFailing })
  const schedule = (): void => {
    if (timer !== undefined || failing().length === 0) return
    const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** pauses++)
    timer = setTimeout(() => void retry(), bound * (0.75 + Math.random() / 4))
  }
  const retry = async (): Promise<void> => {
    // A hidden page retries when it is looked at again.
    if (!document.hidden && (await isReachable())) await client.refetchQueries({ type: 'active', predicate: isFailing })
    timer = undefined
    if (failing().length === 0) pauses = 0
    if (!document.hidden) schedule()
  }
  const retryNow = (): void => {
    if (document.hidden || timer !== undefined) return
    pauses = 0
    schedule()
  }
  cache.subscribe(schedule)
  document.addEventListener('visibilitychange', retryNow)
}

/** Any response will do: the route may not be passed on by a proxy. */
async function isReachable(): Promise<boolean> {
  try {
    await fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(maxPauseMs) })
    return true
  } catch {
    return false
  }
}

/** Requests that may succeed later are repeated twice at once, and then by `retryFailed`. */
const queryClient = createQueryClient({
  mayRecover: (error) => mayRecover(error) && !(error instanceof ApiProblem && error.code === 'timeout'),
})
retryFailed(queryClient)
startPage({ app: <App />, queryClient })
