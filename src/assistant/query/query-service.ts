import type { ApiError } from '../../platform/errors.ts'
import type { ModelState } from '../../platform/llm/settings.ts'
import type { ExamplePair } from './examples/example-pairs.ts'
import type { SqlAnswer } from './sql/sql-runner.ts'

/** Our database, and the EVM explorer's where EVM_EXPLORER_DATABASE_URL is set. */
export const queryTargets = ['indexer', 'evm'] as const
export type QueryTarget = (typeof queryTargets)[number]

/** Why a statement failed. */
export interface QueryFailure {
  /** Stable code, as in problems: `sql-failed`, `sql-function`, `sql-timeout`. */
  readonly code: string
  /** What went wrong and what to do. */
  readonly detail: string
  /** PostgreSQL's code, where the database refused. */
  readonly sqlState?: string
  /** Character of the statement, from 1. */
  readonly position?: number
  readonly hint?: string
}

/** A statement of the model; the last attempt counts. */
export interface QueryAttempt {
  readonly sql: string
  readonly failure?: QueryFailure
}

/** A statement for a question, checked and planned but not run. */
export interface GeneratedSql {
  readonly target: QueryTarget
  readonly question: string
  /** Without fences and prose. */
  readonly sql: string
  /** Why the statement cannot run, where repairs failed. */
  readonly failure: QueryFailure | undefined
  /** All statements of the model in order; the last is `sql`. */
  readonly attempts: readonly QueryAttempt[]
  /** Such as `anthropic/claude-sonnet-4-6`. */
  readonly model: string
  /** Identifies the prompt. */
  readonly promptVersion: string
  /** Including all replies of the model. */
  readonly durationMs: number
}

/** A question with its statement and rows, or `failure`. */
export interface QueryAnswer extends GeneratedSql {
  readonly answer: SqlAnswer | undefined
}

export interface QueryOptions {
  /** Network address of the client (`clientNetwork`), by which slots are shared. Undefined: the program itself. */
  readonly client?: string | undefined
  /** Aborted when the client disconnects; stops the model and the database. */
  readonly signal?: AbortSignal
}

/** The service behind the REST API and the MCP server. */
export interface QueryService {
  readonly targets: readonly QueryTarget[]
  /** Undefined: questions are refused with `remedy`. */
  readonly model: ModelState | undefined
  /** How to configure a model; undefined where one is configured. */
  readonly remedy: string | undefined
  /**
   * Runs one SELECT.
   * @throws SqlRefusal (400), SqlStatementError (400), and what else the runner throws; 404 `no-target`
   */
  runSql(target: QueryTarget, sql: string, options?: QueryOptions & { readonly maxRows?: number }): Promise<SqlAnswer>
  /** Checks and plans one SELECT without running it. @throws as `runSql` does */
  checkSql(target: QueryTarget, sql: string, options?: QueryOptions): Promise<void>
  /**
   * A statement for a question.
   * @throws ApiError 503 `no-model`, 502 `model-failed` with the reason, 502 `model-without-sql`, 404 `no-target`
   */
  generateSql(target: QueryTarget, question: string, options?: QueryOptions): Promise<GeneratedSql>
  /**
   * Writes and runs a statement for a question. @throws as `generateSql`, and errors of the runner that another
   * statement cannot fix
   */
  ask(target: QueryTarget, question: string, options?: QueryOptions): Promise<QueryAnswer>
  /** Sessions of all targets whose statement PostgreSQL cannot interrupt. */
  readonly stuckSessions: number
  /** Tables and views as the model sees them: definitions, comments, indexes, rows. */
  describeSchema(target: QueryTarget): string
  /** The notes for the model. */
  describeNotes(target: QueryTarget): string
  /** Example questions with working statements. */
  examples(target: QueryTarget): readonly ExamplePair[]
}

/** The parts of an error for clients and the model. */
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
