import { useCallback, useEffect, useRef, useState } from 'react'
import { api, isTokenWanted, queryClient, queryKeys } from './api.ts'
import { ApiProblem } from '../kit/api.ts'
import type { SqlFailure, SqlResult, Target } from './draft.ts'
import { faultText } from './draft.ts'

/** What a person has the service do. */
export type Work =
  | { readonly kind: 'ask' | 'generate'; readonly target: Target; readonly question: string }
  | { readonly kind: 'run'; readonly target: Target; readonly sql: string; readonly question?: string | undefined }

/**
 *     idle ──start──► busy ──rows──► done
 *                      ├──SQL only──► written
 *                      ├──refused, or no answer──► failed
 *                      ├──another token wanted──► locked ──start──► busy
 *                      └──cancel──► cancelled
 *
 * A new start ends what is under way. A failure that `mayPass` is worth another try as it is; any other asks for
 * other words or SQL.
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
      readonly mayPass: boolean
    }

export interface Task {
  readonly state: TaskState
  readonly start: (work: Work) => void
  readonly cancel: () => void
}

/**
 * The one thing that the service does for this page at a time. The connection is closed when it is cancelled or when
 * the page is left, and with it ends the statement in the database.
 * @param onSql is told the SQL that the service wrote
 */
export function useTask(onSql: (sql: string) => void): Task {
  const [state, setState] = useState<TaskState>({ is: 'idle' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const tellSql = useRef(onSql)
  useEffect(() => {
    tellSql.current = onSql
  })
  const start = useCallback((work: Work): void => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ is: 'busy', work, since: Date.now() })
    const carryThrough = async (): Promise<void> => {
      const { next, sql } = await carryOut(work, controller.signal).catch((error: unknown): Outcome => ({
        next: failureOf(work, error),
      }))
      if (controller.signal.aborted) return
      setState(next)
      if (sql !== undefined && sql !== '') tellSql.current(sql)
      await queryClient.invalidateQueries({ queryKey: queryKeys.history })
    }
    void carryThrough()
  }, [])
  const cancel = useCallback((): void => {
    running.current?.abort()
    setState({ is: 'cancelled' })
  }, [])
  return { state, start, cancel }
}

interface Outcome {
  readonly next: TaskState
  /** What the service wrote. */
  readonly sql?: string
}

async function carryOut(work: Work, signal: AbortSignal): Promise<Outcome> {
  if (work.kind === 'generate') {
    const { sql, ...failure } = await api.generateSql(work.target, work.question, signal)
    return { next: failure.error === null ? { is: 'written', work } : refused(work, { ...failure, sql }), sql }
  }
  const result =
    work.kind === 'run'
      ? await api.runSql(work.target, work.sql, signal)
      : await api.ask(work.target, work.question, signal)
  const written = work.kind === 'ask' ? { sql: result.sql } : {}
  return {
    next: result.error === null ? { is: 'done', work, result, at: Date.now() } : refused(work, result),
    ...written,
  }
}

/** What became of a statement that was not run, or did not end. */
function refused(work: Work, failure: SqlFailure & { readonly sql: string }): TaskState {
  return { is: 'failed', work, title: 'This SQL could not be run', detail: faultText(failure), mayPass: false }
}

function failureOf(work: Work, error: unknown): TaskState {
  if (isTokenWanted(error)) return { is: 'locked', work }
  if (!(error instanceof ApiProblem))
    return { is: 'failed', work, title: 'The page broke', detail: String(error), mayPass: true }
  const failure = {
    ...(error.body as Pick<SqlFailure, 'error_position' | 'error_hint'>),
    error: error.message,
    sql: work.kind === 'run' ? work.sql : '',
  }
  return { is: 'failed', work, title: failureTitle(work, error), detail: faultText(failure), mayPass: mayPass(error) }
}

/** Whether the same may work at another time: not where somebody has to set something, or to word it otherwise. */
function mayPass({ status, code }: ApiProblem): boolean {
  return status === 0 || status === 429 || (status >= 500 && code !== 'no-model')
}

function failureTitle({ kind }: Work, { status, code }: ApiProblem): string {
  if (code === 'no-model') return 'There is no model for this question'
  if (code === 'model-without-sql') return 'The model wrote no SQL'
  if (status === 0) return 'There is no answer'
  if (status === 429) return 'That was too often'
  if (status === 502) return 'The model did not answer'
  if (status === 504) return 'That took too long'
  if (code === 'sql-busy' || code === 'sql-stuck') return 'The service is busy'
  if (status === 503) return 'The database does not answer'
  return kind === 'run' ? 'This SQL could not be run' : 'This question could not be answered'
}
