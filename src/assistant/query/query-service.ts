import type { ApiError } from '../../platform/errors.ts'
import type { ModelState } from '../../platform/llm/settings.ts'
import type { ExamplePair } from './example-pairs.ts'
import type { CatalogTable } from './knowledge.ts'
import type { ExportOptions, RunOptions, SqlAnswer } from './sql/sql-runner.ts'

/** `evm` only if EVM_EXPLORER_DATABASE_URL is set. */
export const queryTargets = ['indexer', 'evm'] as const
export type QueryTarget = (typeof queryTargets)[number]

export interface QueryFailure {
  readonly code: string
  readonly detail: string
  readonly sqlState?: string
  /** Character of the statement, from 1. */
  readonly position?: number
  readonly hint?: string
}

export interface QueryAttempt {
  readonly sql: string
  readonly failure?: QueryFailure
}

export interface GeneratedSql {
  readonly target: QueryTarget
  readonly question: string
  readonly sql: string
  readonly failure: QueryFailure | undefined
  readonly attempts: readonly QueryAttempt[]
  readonly model: string
  readonly promptVersion: string
  readonly durationMs: number
}

export interface QueryAnswer extends GeneratedSql {
  readonly answer: SqlAnswer | undefined
}

export interface QueryOptions {
  readonly client?: string | undefined
  readonly signal?: AbortSignal
}

/** An answer that a follow-up question refines. */
export interface EarlierAnswer {
  readonly question: string
  readonly sql: string
  readonly columns: readonly string[]
  /** First rows of its result, as text. */
  readonly rows: readonly (readonly string[])[]
}

export interface QuestionOptions extends QueryOptions {
  readonly earlier?: EarlierAnswer | undefined
}

export interface QueryService {
  readonly targets: readonly QueryTarget[]
  readonly model: ModelState | undefined
  readonly remedy: string | undefined
  /**
   * @throws SqlRefusal (400), SqlStatementError (400), other errors of the runner; 404 `no-target`
   */
  runSql(target: QueryTarget, sql: string, options?: RunOptions): Promise<SqlAnswer>
  /** Passes all rows to `onRows` until it returns false. @throws as `runSql` */
  exportSql(target: QueryTarget, sql: string, options: ExportOptions): Promise<void>
  /** Plans without running. @throws as `runSql` */
  checkSql(target: QueryTarget, sql: string, options?: QueryOptions): Promise<void>
  /**
   * @throws ApiError 503 `no-model`, 502 `model-failed`, 502 `model-without-sql`, 404 `no-target`
   */
  generateSql(target: QueryTarget, question: string, options?: QuestionOptions): Promise<GeneratedSql>
  /** @throws as `generateSql`, and runner errors that no other statement can fix */
  ask(target: QueryTarget, question: string, options?: QuestionOptions): Promise<QueryAnswer>
  /** In words, by the model. @throws ApiError 503 `no-model`, 502 `model-failed`, 404 `no-target` */
  explainSql(
    target: QueryTarget,
    sql: string,
    options?: QueryOptions & { readonly question?: string | undefined },
  ): Promise<string>
  readonly stuckSessions: number
  /** Readable tables, own tables first. */
  catalog(target: QueryTarget): Promise<readonly CatalogTable[]>
  /** Names of the functions that statements may call. */
  functions(target: QueryTarget): readonly string[]
  describeSchema(target: QueryTarget): string
  describeNotes(target: QueryTarget): string
  examples(target: QueryTarget): readonly ExamplePair[]
}

export function failureOf(error: ApiError): QueryFailure {
  const { sqlState, position, hint } = error.details
  return {
    code: error.code,
    detail: error.message,
    ...(typeof sqlState === 'string' ? { sqlState } : {}),
    ...(typeof position === 'number' ? { position } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  }
}
