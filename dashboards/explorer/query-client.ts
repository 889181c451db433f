import { QueryClient } from '@tanstack/react-query'
import { ApiProblem, mayRecover } from './api.ts'

/** Responses of the API. Requests that may succeed later are repeated twice at once, and then by `retryFailed`. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < 2 && mayRecover(error) && !(error instanceof ApiProblem && error.code === 'timeout'),
      retryDelay: (failures) => 500 * 2 ** failures,
      staleTime: 5000,
      networkMode: 'always',
    },
  },
})
