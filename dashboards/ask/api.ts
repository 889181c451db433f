import type { AskResult, GeneratedSql, Health, HistoryItem, Pair, SqlFailure, SqlResult, Target } from './contract.ts'
import { readToken } from '../kit/token.ts'

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
    read<AskResult>(`${base}/ask`, { method: 'POST', body: { target, question }, signal }),
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
