import { MutationCache, QueryCache } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { ApiProblem, request } from '../kit/api.ts'
import { createQueryClient } from '../kit/query-client.ts'
import type { Answers, Lease, Requests } from './answers.gen.ts'

export type LeaseTarget = Requests['POST /operator/api/leases/requeue']

const base = '/operator/api'

async function get<Path extends keyof Answers>(
  path: Path,
  query: Readonly<Record<string, string | number | undefined>> = {},
  signal?: AbortSignal,
): Promise<Answers[Path]> {
  const values = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(values.map(([name, value]) => [name, String(value)])).toString()
  const response = await request(search === '' ? path : `${path}?${search}`, signal === undefined ? {} : { signal })
  return (await response.json()) as Answers[Path]
}

async function send<Call extends keyof Requests>(call: Call, body: Requests[Call]): Promise<Response> {
  const [method, path] = call.split(' ') as [string, string]
  return await request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function change<Call extends keyof Requests>(call: Call, body: Requests[Call]): Promise<{ changed: number }> {
  return (await (await send(call, body)).json()) as { changed: number }
}

interface ListFilter {
  readonly worker: string | undefined
  readonly code?: string | undefined
  readonly limit: number
}

/** All calls throw ApiProblem. */
export const api = {
  session: (signal?: AbortSignal) => get(`${base}/session`, {}, signal),
  logIn: (token: string) => send(`POST ${base}/session`, { token }),
  logOut: () => request(`${base}/session`, { method: 'DELETE' }),
  coverage: (span: { from: number | undefined; to: number | undefined; cells: number }, signal: AbortSignal) =>
    get(`${base}/coverage`, span, signal),
  leases: (status: Lease['status'], filter: ListFilter, signal: AbortSignal) =>
    get(`${base}/leases`, { status, ...filter }, signal),
  errors: ({ worker, limit }: ListFilter, signal: AbortSignal) => get(`${base}/errors`, { worker, limit }, signal),
  heights: (limit: number, signal: AbortSignal) => get(`${base}/heights`, { limit }, signal),
  skipHeight: (height: number) => send(`POST ${base}/heights/skip`, { height }),
  retryHeights: (range: { from: number; to: number }) => send(`POST ${base}/heights/retry`, range),
  requeue: (target: LeaseTarget) => change(`POST ${base}/leases/requeue`, target),
  split: (target: LeaseTarget, pieces: number) => change(`POST ${base}/leases/split`, { ...target, pieces }),
  skip: (target: LeaseTarget, reason: string) => change(`POST ${base}/leases/skip`, { ...target, reason }),
  rederive: async (range: { from: number; to: number; workers: readonly string[] }) =>
    (await (await send(`POST ${base}/rederive`, range)).json()) as { readonly workers: readonly string[] },
  setDrill: (drill: Requests['POST /operator/api/drills']) => send(`POST ${base}/drills`, drill),
  clearDrill: (worker: string) => send(`DELETE ${base}/drills`, { worker }),
}

export const sessionKey = ['session'] as const

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
