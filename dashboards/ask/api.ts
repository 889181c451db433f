import { useQuery } from '@tanstack/react-query'
import type { Alert, AlertProposal, Answers, CreatedAlert } from './answers.gen.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import type {
  Dashboard,
  DashboardSummary,
  Export,
  GeneratedSql,
  Health,
  HistoryItem,
  PublicDashboard,
  SavedQuery,
  TableSample,
  TileResult as SentTileResult,
} from './answers.gen.ts'
import type { Schema } from './completion.ts'
import type { Pair, Parameter, SelectedQuery, SqlResult, Target } from './draft.ts'
import type { EarlierAnswer } from './follow-up.ts'
import { ApiProblem, mayRecover, request } from '../kit/api.ts'
import { createQueryClient } from '../kit/query-client.ts'
import { readToken, useToken } from '../kit/token.ts'

export function isTokenRequired(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401
}

interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: object
  readonly signal?: AbortSignal
  readonly token?: string | undefined
}

async function call(path: string, { method = 'GET', body, signal, token = readToken() }: Call): Promise<Response> {
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }
  return await request(path, init, 'The service')
}

async function read<Body>(path: string, options: Call): Promise<Body> {
  return (await (await call(path, options)).json()) as Body
}

const base = '/api/v1'

export type TileResult = Omit<SentTileResult, 'results'> & Pick<SqlResult, 'results'>

export type DashboardContent = Pick<Dashboard, 'name' | 'refresh_seconds' | 'tiles'>

const dashboardPath = (id: string): string => `${base}/dashboards/${encodeURIComponent(id)}`
const publicPath = (link: string): string => `${base}/public/dashboards/${encodeURIComponent(link)}`

/** All calls throw ApiProblem. */
export const api = {
  health: (signal: AbortSignal) => read<Health>('/health', { signal }),
  ask: (target: Target, question: string, earlier: EarlierAnswer | undefined, signal: AbortSignal) =>
    read<SqlResult>(`${base}/ask`, {
      method: 'POST',
      body: { target, question, ...(earlier === undefined ? {} : { earlier }) },
      signal,
    }),
  generateSql: (target: Target, question: string, signal: AbortSignal) =>
    read<GeneratedSql>(`${base}/generate_sql`, { method: 'POST', body: { target, question }, signal }),
  runSql: (target: Target, sql: string, parameters: readonly Parameter[], signal: AbortSignal) =>
    read<SqlResult>(`${base}/run_sql`, {
      method: 'POST',
      body: { target, sql, ...(parameters.length === 0 ? {} : { parameters }) },
      signal,
    }),
  explainSql: (target: Target, sql: string, question: string) =>
    read<{ readonly sql: string; readonly explanation: string }>(`${base}/explain_sql`, {
      method: 'POST',
      body: { target, sql, ...(question === '' ? {} : { question }) },
    }),
  schema: (target: Target, signal: AbortSignal) => read<Schema>(`${base}/schema?target=${target}`, { signal }),
  sample: (target: Target, table: string, signal: AbortSignal) =>
    read<TableSample>(`${base}/schema/${encodeURIComponent(table)}/rows?target=${target}`, { signal }),
  history: (signal: AbortSignal) => read<readonly HistoryItem[]>(`${base}/history?limit=200`, { signal }),
  clearHistory: () => call(`${base}/history`, { method: 'DELETE' }),
  tryToken: (token: string) => call(`${base}/history?limit=1`, { token }),
  savedQueries: (signal: AbortSignal) => read<{ readonly data: readonly SavedQuery[] }>(`${base}/queries`, { signal }),
  saveQuery: (query: SelectedQuery & { readonly name: string }) =>
    read<SavedQuery>(`${base}/queries`, { method: 'POST', body: query }),
  deleteQuery: (id: string) => call(`${base}/queries/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  dashboards: (signal: AbortSignal) =>
    read<{ readonly data: readonly DashboardSummary[] }>(`${base}/dashboards`, { signal }),
  dashboard: (id: string, signal: AbortSignal) => read<Dashboard>(dashboardPath(id), { signal }),
  createDashboard: (content: DashboardContent) =>
    read<Dashboard>(`${base}/dashboards`, { method: 'POST', body: content }),
  updateDashboard: (id: string, content: DashboardContent & Partial<Pick<Dashboard, 'updated_at'>>) =>
    read<Dashboard>(dashboardPath(id), { method: 'PUT', body: content }),
  deleteDashboard: (id: string) => call(dashboardPath(id), { method: 'DELETE' }),
  publishDashboard: (id: string) => read<Dashboard>(`${dashboardPath(id)}/link`, { method: 'PUT' }),
  revokeLink: (id: string) => read<Dashboard>(`${dashboardPath(id)}/link`, { method: 'DELETE' }),
  tile: (id: string, tile: string, signal: AbortSignal, maxAge?: number) =>
    read<TileResult>(`${dashboardPath(id)}/tiles/${tile}${maxAge === undefined ? '' : `?max_age=${maxAge}`}`, {
      signal,
    }),
  publicDashboard: (link: string, signal: AbortSignal) => read<PublicDashboard>(publicPath(link), { signal }),
  publicTile: (link: string, tile: string, signal: AbortSignal) =>
    read<TileResult>(`${publicPath(link)}/tiles/${tile}`, { signal }),
  alerts: (signal: AbortSignal) => read<{ readonly data: readonly Alert[] }>(`${base}/alerts`, { signal }),
  alert: (id: string, signal: AbortSignal) =>
    read<Answers['/api/v1/alerts/{id}']>(`${base}/alerts/${encodeURIComponent(id)}`, { signal }),
  proposeAlert: (target: Target, question: string) =>
    read<AlertProposal>(`${base}/alerts/propose`, { method: 'POST', body: { target, question } }),
  createAlert: (alert: object) => read<CreatedAlert>(`${base}/alerts`, { method: 'POST', body: alert }),
  actOnAlert: (id: string, action: 'pause' | 'resume' | 'run') =>
    read<Alert>(`${base}/alerts/${encodeURIComponent(id)}/${action}`, { method: 'POST' }),
  deleteAlert: (id: string) => call(`${base}/alerts/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  startExport: (target: Target, sql: string, parameters: readonly Parameter[], format: Export['format']) =>
    read<Export>(`${base}/exports`, { method: 'POST', body: { target, sql, parameters, format } }),
  export: (id: string, signal: AbortSignal) => read<Export>(`${base}/exports/${id}`, { signal }),
  exportFile: async (id: string) => (await call(`${base}/exports/${id}/file`, {})).blob(),
  deleteExport: (id: string) => call(`${base}/exports/${id}`, { method: 'DELETE' }),
  examples: (signal: AbortSignal) => read<{ readonly data: readonly Pair[] }>(`${base}/examples`, { signal }),
  savedExamples: (signal: AbortSignal) =>
    read<{ readonly data: readonly Pair[] }>(`${base}/memory?limit=2000`, { signal }),
  saveExample: (pair: Omit<Pair, 'id'>) => read<Pair>(`${base}/memory`, { method: 'POST', body: pair }),
  exportSaved: async () => (await call(`${base}/memory/export`, {})).text(),
  deleteExample: (id: string) => call(`${base}/memory/${encodeURIComponent(id)}`, { method: 'DELETE' }),
}

export const queryClient = createQueryClient({ mayRecover })

export const queryKeys = {
  health: ['health'],
  lists: ['lists'],
  examples: ['examples'],
  history: ['lists', 'history'],
  saved: ['lists', 'saved'],
  exports: ['exports'],
  queries: ['lists', 'queries'],
  alerts: ['lists', 'alerts'],
  dashboards: ['lists', 'dashboards'],
  dashboard: ['lists', 'dashboard'],
  tiles: ['lists', 'tiles'],
  publicDashboard: ['public-dashboard'],
  schema: ['lists', 'schema'],
  sample: ['lists', 'sample'],
} as const

const everyMs = 30_000
const againMs = 3000

export function useHealth(): UseQueryResult<Health> {
  return useQuery({
    queryKey: queryKeys.health,
    queryFn: ({ signal }) => api.health(signal),
    refetchInterval: ({ state }) => (state.status === 'error' ? againMs : everyMs),
  })
}

function useIsOpen(): boolean {
  const { data } = useHealth()
  const token = useToken()
  return data !== undefined && (!data.needs_token || token !== undefined)
}

export function useExamples(): UseQueryResult<readonly Pair[]> {
  return useQuery({
    queryKey: queryKeys.examples,
    queryFn: async ({ signal }) => (await api.examples(signal)).data,
    staleTime: Infinity,
  })
}

/** Own tables appear while the page is open. */
const schemaMs = 60_000

export function useSchema(target: Target): UseQueryResult<Schema> {
  const enabled = useIsOpen()
  return useQuery({
    queryKey: [...queryKeys.schema, target],
    queryFn: ({ signal }) => api.schema(target, signal),
    staleTime: schemaMs,
    refetchInterval: schemaMs,
    enabled,
  })
}

export function useSavedQueries(): UseQueryResult<readonly SavedQuery[]> {
  const enabled = useIsOpen()
  return useQuery({
    queryKey: queryKeys.queries,
    queryFn: async ({ signal }) => (await api.savedQueries(signal)).data,
    enabled,
  })
}

export function useDashboards(): UseQueryResult<readonly DashboardSummary[]> {
  const enabled = useIsOpen()
  return useQuery({
    queryKey: queryKeys.dashboards,
    queryFn: async ({ signal }) => (await api.dashboards(signal)).data,
    enabled,
  })
}

export function useDashboard(id: string): UseQueryResult<Dashboard> {
  const enabled = useIsOpen()
  return useQuery({
    queryKey: [...queryKeys.dashboard, id],
    queryFn: ({ signal }) => api.dashboard(id, signal),
    enabled,
  })
}

/** Alerts run in the background. */
const alertsMs = 10_000

export function useAlerts(): UseQueryResult<readonly Alert[]> {
  const enabled = useIsOpen()
  return useQuery({
    queryKey: queryKeys.alerts,
    queryFn: async ({ signal }) => (await api.alerts(signal)).data,
    refetchInterval: alertsMs,
    enabled,
  })
}

export function useAlert(id: string): UseQueryResult<Answers['/api/v1/alerts/{id}']> {
  return useQuery({
    queryKey: [...queryKeys.alerts, id],
    queryFn: ({ signal }) => api.alert(id, signal),
    refetchInterval: alertsMs,
  })
}

export function useHistory(): UseQueryResult<readonly HistoryItem[]> {
  const enabled = useIsOpen()
  return useQuery({ queryKey: queryKeys.history, queryFn: ({ signal }) => api.history(signal), enabled })
}

export function useSavedExamples(): UseQueryResult<readonly Pair[]> {
  const enabled = useIsOpen()
  return useQuery({
    queryKey: queryKeys.saved,
    queryFn: async ({ signal }) => (await api.savedExamples(signal)).data,
    enabled,
  })
}
