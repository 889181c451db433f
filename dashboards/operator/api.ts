import { MutationCache, QueryCache } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { ApiProblem, request as callApi } from '../kit/api.ts'
import { createQueryClient } from '../kit/query-client.ts'
import type {
  Coverage,
  IndexingError,
  Lease,
  LeaseStatus,
  LeaseTarget,
  Page,
  Session,
  FailingHeights,
} from './contract.ts'

const base = '/operator/api'

/** @throws ApiProblem for an error response and if there is no response */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  return await callApi(`${base}${path}`, init)
}

async function get<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  const response = await request(path, signal === undefined ? {} : { signal })
  return (await response.json()) as Body
}

async function send<Body>(method: string, path: string, body: object): Promise<Body> {
  const response = await request(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (response.status === 204 ? undefined : await response.json()) as Body
}

function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

interface ListFilter {
  readonly worker: string | undefined
  readonly code?: string | undefined
  readonly limit: number
}

/** The calls of the operator API. All of them throw ApiProblem. */
export const api = {
  session: (signal?: AbortSignal) => get<Session>('/session', signal),
  logIn: (token: string) => send<undefined>('POST', '/session', { token }),
  logOut: () => send<undefined>('DELETE', '/session', {}),
  coverage: (span: { from: number | undefined; to: number | undefined; cells: number }, signal: AbortSignal) =>
    get<Coverage>(`/coverage${query(span)}`, signal),
  leases: (status: LeaseStatus, filter: ListFilter, signal: AbortSignal) =>
    get<Page<Lease>>(`/leases${query({ status, ...filter })}`, signal),
  errors: (filter: ListFilter, signal: AbortSignal) =>
    get<Page<IndexingError>>(`/errors${query({ worker: filter.worker, limit: filter.limit })}`, signal),
  heights: (limit: number, signal: AbortSignal) => get<FailingHeights>(`/heights${query({ limit })}`, signal),
  skipHeight: (height: number) => send<undefined>('POST', '/heights/skip', { height }),
  retryHeights: (range: { from: number; to: number }) => send<{ retried: number }>('POST', '/heights/retry', range),
  requeue: (target: LeaseTarget) => send<{ changed: number }>('POST', '/leases/requeue', target),
  split: (target: LeaseTarget, pieces: number) =>
    send<{ changed: number }>('POST', '/leases/split', { ...target, pieces }),
  skip: (target: LeaseTarget, reason: string) =>
    send<{ changed: number }>('POST', '/leases/skip', { ...target, reason }),
  rederive: (range: { from: number; to: number; workers: readonly string[] }) =>
    send<{ workers: string[] }>('POST', '/rederive', range),
  setDrill: (drill: { worker: string; reason: string } & ({ from: number; to: number } | { blocks: number })) =>
    send<undefined>('POST', '/drills', drill),
  clearDrill: (worker: string) => send<undefined>('DELETE', '/drills', { worker }),
}

export const sessionKey = ['session'] as const

/** A 401 reloads the session, which shows the login form. */
export const queryClient: QueryClient = createQueryClient({
  queryCache: new QueryCache({ onError: checkLogin }),
  mutationCache: new MutationCache({ onError: checkLogin }),
  mayRecover: (error) => !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
  staleTime: 1000,
  networkMode: 'online',
})

function checkLogin(error: Error): void {
  if (error instanceof ApiProblem && error.status === 401) void queryClient.invalidateQueries({ queryKey: sessionKey })
}
