import type { ApiError } from '../../platform/errors.ts'
import type { ModelState } from '../../platform/llm/settings.ts'
import type { ExamplePair } from './examples/example-pairs.ts'
import type { SqlAnswer } from './sql/sql-runner.ts'

/** The databases that can be asked: ours, and that of the EVM explorer where EVM_EXPLORER_DATABASE_URL is set. */
export const queryTargets = ['indexer', 'evm'] as const
export type QueryTarget = (typeof queryTargets)[number]

/** What a statement failed with, for people and for programs. */
export interface QueryFailure {
  /** Stable, lower case with dashes, as in a problem: `sql-failed`, `sql-function`, `sql-timeout`. */
  readonly code: string
  /** What went wrong and what to do. */
  readonly detail: string
  /** PostgreSQL's code, where the database refused. */
  readonly sqlState?: string
  /** Character of the statement, from 1. */
  readonly position?: number
  readonly hint?: string
}

/** A statement that the model wrote, and what became of it; the last one of several is the one that counts. */
export interface QueryAttempt {
  readonly sql: string
  readonly failure?: QueryFailure
}

/** A statement for a question. It was checked and planned and not run. */
export interface GeneratedSql {
  readonly target: QueryTarget
  readonly question: string
  /** Without fences and prose. */
  readonly sql: string
  /** Why the statement cannot be run, where that could not be mended. */
  readonly failure: QueryFailure | undefined
  /** Every statement of the model in their order; the last is `sql`. */
  readonly attempts: readonly QueryAttempt[]
  /** Who wrote it, e.g. `anthropic/claude-sonnet-4-6`. */
  readonly model: string
  /** Names the text that the model was given; another text has another version. */
  readonly promptVersion: string
  /** With all turns of the model. */
  readonly durationMs: number
}

/** A question with its statement and its rows; without rows `failure` tells why. */
export interface QueryAnswer extends GeneratedSql {
  readonly answer: SqlAnswer | undefined
}

export interface QueryOptions {
  /**
   * Network address of the client (`clientNetwork`), by which the slots for statements are shared. Undefined: the
   * program itself.
   */
  readonly client?: string | undefined
  /** Aborted when who asked has gone: the model and the database are told to stop. */
  readonly signal?: AbortSignal
}

/** What the REST API and the MCP server both call. */
export interface QueryService {
  readonly targets: readonly QueryTarget[]
  /** Undefined: there is none, and questions are refused with what to set. */
  readonly model: ModelState | undefined
  /** What to set to have a model; undefined where there is one. */
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
  /** A statement for a question, and its rows. @throws what `generateSql` throws, and of the runner what no statement can mend */
  ask(target: QueryTarget, question: string, options?: QueryOptions): Promise<QueryAnswer>
  /** Database sessions of all targets that do not end, because PostgreSQL cannot interrupt their statement. */
  readonly stuckSessions: number
  /** The tables and views of a target as the model is told of them: definitions, comments, indexes, rows. */
  describeSchema(target: QueryTarget): string
  /** What the model is told about a target beside its tables. */
  describeNotes(target: QueryTarget): string
  /** Questions with statements that are known to work. */
  examples(target: QueryTarget): readonly ExamplePair[]
}

/** What of an error a client and the model may know: its code and words, and where in the statement the fault is. */
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
