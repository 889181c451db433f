import { QueryClient } from '@tanstack/react-query'
import type { NetworkMode, QueryClientConfig } from '@tanstack/react-query'

interface QueryOptions extends Pick<QueryClientConfig, 'queryCache' | 'mutationCache'> {
  readonly mayRecover: (error: Error) => boolean
  readonly maxRetries?: number
  /** ms */
  readonly staleTime?: number
  readonly networkMode?: NetworkMode
}

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
