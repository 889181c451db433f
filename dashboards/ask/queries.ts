import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { api } from './api.ts'
import type { Health, HistoryItem, Pair } from './contract.ts'
import { queryKeys } from './query-client.ts'
import { useToken } from '../kit/token.ts'

const everyMs = 30_000
/** A page that waits for a service which starts shall not wait half a minute longer. */
const againMs = 3000

/** What the service can do. */
export function useHealth(): UseQueryResult<Health> {
  return useQuery({
    queryKey: queryKeys.health,
    queryFn: ({ signal }) => api.health(signal),
    refetchInterval: ({ state }) => (state.status === 'error' ? againMs : everyMs),
  })
}

/** Whether the lists may be read: none is asked for before the page knows that it needs no token, or has one. */
function useIsOpen(): boolean {
  const { data } = useHealth()
  const token = useToken()
  return data !== undefined && (!data.needs_token || token !== undefined)
}

/** Questions that the service came with; they are open to all. */
export function useExamples(): UseQueryResult<readonly Pair[]> {
  return useQuery({
    queryKey: queryKeys.examples,
    queryFn: async ({ signal }) => (await api.examples(signal)).data,
    staleTime: Infinity,
  })
}

/** What was asked lately with this token, newest first. */
export function useHistory(): UseQueryResult<readonly HistoryItem[]> {
  const enabled = useIsOpen()
  return useQuery({ queryKey: queryKeys.history, queryFn: ({ signal }) => api.history(signal), enabled })
}

/** Answers that somebody kept as examples. */
export function useKept(): UseQueryResult<readonly Pair[]> {
  const enabled = useIsOpen()
  return useQuery({ queryKey: queryKeys.kept, queryFn: async ({ signal }) => (await api.kept(signal)).data, enabled })
}
