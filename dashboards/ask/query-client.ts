import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './api.ts'

/** What was read of the service. Only what may be different the next time is asked again. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiProblem && (error.status === 0 || error.status >= 500),
      retryDelay: (failures) => 500 * 2 ** failures,
      staleTime: 5000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Names of what is read; the lists are other ones under another token. */
export const queryKeys = {
  health: ['health'],
  lists: ['lists'],
  examples: ['examples'],
  history: ['lists', 'history'],
  kept: ['lists', 'kept'],
} as const
