import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './api.ts'

export const sessionKey = ['session'] as const

/** What was asked of the API. A call that is refused for want of a login asks for the session again, which shows the login. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkLogin }),
  mutationCache: new MutationCache({ onError: checkLogin }),
  defaultOptions: {
    queries: { retry: isWorthAnotherTry, staleTime: 1000 },
    mutations: { retry: false, networkMode: 'always' },
  },
})

function checkLogin(error: Error): void {
  if (error instanceof ApiProblem && error.status === 401) void queryClient.invalidateQueries({ queryKey: sessionKey })
}

function isWorthAnotherTry(failures: number, error: Error): boolean {
  const isRefused = error instanceof ApiProblem && error.status >= 400 && error.status < 500
  return !isRefused && failures < 2
}
