import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { GeneratedSql, Health, HistoryItem } from './answers.gen.ts'
import type { Pair, SqlFailure, SqlResult, Target } from './draft.ts'
import { createQueryClient } from '../kit/query-client.ts'
import { readToken, useToken } from '../kit/token.ts'

/** An answer that is none, as the service words it. `status` 0: there was no answer at all. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** Where a statement was refused: at which character, and what PostgreSQL advises. */
  readonly fault: Pick<SqlFailure, 'error_position' | 'error_hint'>

  constructor(status: number, code: string, message: string, fault: ApiProblem['fault'] = {}) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.code = code
    this.fault = fault
  }
}

/** Puts whatever was thrown into words for people. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether the service wants another token than it was shown. */
export function isTokenWanted(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401
}

interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object
  readonly signal?: AbortSignal
  /** Default: the token of this tab. */
  readonly token?: string | undefined
}

/**
 * Asks the service.
 * @throws ApiProblem for every answer that is no success, and for none; what the signal says when it ends the call
 */
async function request(path: string, { method = 'GET', body, signal, token = readToken() }: Call): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiProblem(0, 'no-answer', 'The service does not answer. Is the network there, and is flowfarm running?')
  }
  if (!response.ok) throw await problemOf(response)
  return response
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const isProblem = response.headers.get('content-type')?.includes('json') === true
  const body = isProblem ? ((await response.json()) as { detail?: string; code?: string } & ApiProblem['fault']) : {}
  return new ApiProblem(
    response.status,
    body.code ?? `http-${response.status}`,
    body.detail ?? `The service answered ${response.status}.`,
    body,
  )
}

async function read<Body>(path: string, call: Call): Promise<Body> {
  return (await (await request(path, call)).json()) as Body
}

const base = '/api/v1'

/** The calls of the query service. All of them throw ApiProblem. */
export const api = {
  health: (signal: AbortSignal) => read<Health>('/health', { signal }),
  ask: (target: Target, question: string, signal: AbortSignal) =>
    read<SqlResult>(`${base}/ask`, { method: 'POST', body: { target, question }, signal }),
  generateSql: (target: Target, question: string, signal: AbortSignal) =>
    read<GeneratedSql>(`${base}/generate_sql`, { method: 'POST', body: { target, question }, signal }),
  runSql: (target: Target, sql: string, signal: AbortSignal) =>
    read<SqlResult>(`${base}/run_sql`, { method: 'POST', body: { target, sql }, signal }),
  history: (signal: AbortSignal) => read<readonly HistoryItem[]>(`${base}/history?limit=200`, { signal }),
  clearHistory: () => request(`${base}/history`, { method: 'DELETE' }),
  /** Whether the service takes a token, by a call that wants one. */
  tryToken: (token: string) => request(`${base}/history?limit=1`, { token }),
  examples: (signal: AbortSignal) => read<{ readonly data: readonly Pair[] }>(`${base}/examples`, { signal }),
  kept: (signal: AbortSignal) => read<{ readonly data: readonly Pair[] }>(`${base}/memory?limit=2000`, { signal }),
  keep: (pair: Omit<Pair, 'id'>) => read<Pair>(`${base}/memory`, { method: 'POST', body: pair }),
  /** All kept examples, one JSON object a line. */
  exportKept: async () => (await request(`${base}/memory/export`, {})).text(),
  forget: (id: string) => request(`${base}/memory/${encodeURIComponent(id)}`, { method: 'DELETE' }),
}

export const queryClient = createQueryClient({
  mayRecover: (error) => error instanceof ApiProblem && (error.status === 0 || error.status >= 500),
})

/** Names of what is read; the lists are other ones under another token. */
export const queryKeys = {
  health: ['health'],
  lists: ['lists'],
  examples: ['examples'],
  history: ['lists', 'history'],
  kept: ['lists', 'kept'],
} as const

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
