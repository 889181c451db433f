import { QueryClient } from '@tanstack/react-query'
import type { NetworkMode, QueryClientConfig } from '@tanstack/react-query'

interface QueryOptions extends Pick<QueryClientConfig, 'queryCache' | 'mutationCache'> {
  /** Whether a request may succeed later without a change by the user. */
  readonly mayRecover: (error: Error) => boolean
  readonly maxRetries?: number
  /** ms */
  readonly staleTime?: number
  readonly networkMode?: NetworkMode
}

/** The responses that an application has read. Only requests that may succeed later are repeated. */
export function createQueryClient({
  mayRecover,
  maxRetries = 2,
  staleTime = 5000,
  networkMode = 'always',
  ...caches
}: QueryOptions): QueryClient {
  return new QueryClient({
    ...caches,
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < maxRetries && mayRecover(error),
        retryDelay: (failures) => 500 * 2 ** failures,
        staleTime,
        networkMode,
      },
      mutations: { networkMode: 'always' },
    },
  })
}
