import { useCallback, useEffect, useRef, useState } from 'react'
import { api, isTokenRequired, queryClient, queryKeys } from './api.ts'
import type { EarlierAnswer } from './follow-up.ts'
import { ApiProblem } from '../kit/api.ts'
import type { Parameter, SqlFailure, SqlResult, Target } from './draft.ts'
import { faultText } from './draft.ts'

export type Work =
  | {
      readonly kind: 'ask' | 'generate'
      readonly target: Target
      readonly question: string
      readonly earlier?: EarlierAnswer
    }
  | {
      readonly kind: 'run'
      readonly target: Target
      readonly sql: string
      readonly parameters?: readonly Parameter[]
      readonly question?: string | undefined
    }

/**
 *     idle ──start──► busy ──rows──► done
 *                      ├──SQL only──► written
 *                      ├──error──► failed
 *                      ├──401──► locked ──start──► busy
 *                      └──cancel──► cancelled
 *
 * A new start cancels the running request. `isRetryable`: the same request may succeed later.
 */
export type TaskState =
  | { readonly is: 'idle' }
  | { readonly is: 'cancelled' }
  | { readonly is: 'busy'; readonly work: Work; readonly since: number }
  | { readonly is: 'locked'; readonly work: Work }
  | { readonly is: 'written'; readonly work: Work }
  | { readonly is: 'done'; readonly work: Work; readonly result: SqlResult; readonly at: number }
  | {
      readonly is: 'failed'
      readonly work: Work
      readonly title: string
      readonly detail: string
      readonly isRetryable: boolean
    }

export interface Task {
  readonly state: TaskState
  readonly start: (work: Work) => void
  readonly cancel: () => void
}

/**
 * One request at a time. Cancelling closes the connection, which cancels the statement in the
 * database.
 */
export function useTask(onSql: (sql: string) => void): Task {
  const [state, setState] = useState<TaskState>({ is: 'idle' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const latestOnSql = useRef(onSql)
  useEffect(() => {
    latestOnSql.current = onSql
  })
  const start = useCallback((work: Work): void => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ is: 'busy', work, since: Date.now() })
    const run = async (): Promise<void> => {
      const { next, sql } = await perform(work, controller.signal).catch((error: unknown): Outcome => ({
        next: failureOf(work, error),
      }))
      if (controller.signal.aborted) return
      setState(next)
      if (sql !== undefined && sql !== '') latestOnSql.current(sql)
      await queryClient.invalidateQueries({ queryKey: queryKeys.history })
    }
    void run()
  }, [])
  const cancel = useCallback((): void => {
    running.current?.abort()
    setState({ is: 'cancelled' })
  }, [])
  return { state, start, cancel }
}

interface Outcome {
  readonly next: TaskState
  readonly sql?: string
}

async function perform(work: Work, signal: AbortSignal): Promise<Outcome> {
  if (work.kind === 'generate') {
    const { sql, ...failure } = await api.generateSql(work.target, work.question, signal)
    return { next: failure.error === null ? { is: 'written', work } : failed(work, { ...failure, sql }), sql }
  }
  const result =
    work.kind === 'run'
      ? await api.runSql(work.target, work.sql, work.parameters ?? [], signal)
      : await api.ask(work.target, work.question, work.earlier, signal)
  const written = work.kind === 'ask' ? { sql: result.sql } : {}
  return {
    next: result.error === null ? { is: 'done', work, result, at: Date.now() } : failed(work, result),
    ...written,
  }
}

function failed(work: Work, failure: SqlFailure & { readonly sql: string }): TaskState {
  return { is: 'failed', work, title: 'Could not run the SQL', detail: faultText(failure), isRetryable: false }
}

function failureOf(work: Work, error: unknown): TaskState {
  if (isTokenRequired(error)) return { is: 'locked', work }
  if (!(error instanceof ApiProblem))
    return { is: 'failed', work, title: 'The page failed', detail: String(error), isRetryable: true }
  const failure = {
    ...(error.body as Pick<SqlFailure, 'error_position' | 'error_hint'>),
    error: error.message,
    sql: work.kind === 'run' ? work.sql : '',
  }
  return {
    is: 'failed',
    work,
    title: failureTitle(work, error),
    detail: faultText(failure),
    isRetryable: isRetryable(error),
  }
}

function isRetryable({ status, code }: ApiProblem): boolean {
  return status === 0 || status === 429 || (status >= 500 && code !== 'no-model')
}

function failureTitle({ kind }: Work, { status, code }: ApiProblem): string {
  if (code === 'no-model') return 'No model can answer this question'
  if (code === 'model-without-sql') return 'The model wrote no SQL'
  if (status === 0) return 'Could not reach the service'
  if (status === 429) return 'Too many requests'
  if (status === 502) return 'The model did not respond'
  if (status === 504) return 'The request timed out'
  if (code === 'sql-busy' || code === 'sql-stuck') return 'The service is busy'
  if (status === 503) return 'The database is not reachable'
  return kind === 'run' ? 'Could not run the SQL' : 'Could not answer the question'
}
