import type { SqlAnswer } from './sql-answer.ts'

export interface RunOptions {
  /** Network address of the client (`clientNetwork`), by which slots are shared. Undefined: the program itself. */
  readonly client?: string | undefined
  /** Ends the statement when whoever asked has left. */
  readonly signal?: AbortSignal
  /** Most rows of the answer, up to MAX_RESULT_ROWS, which it is without. */
  readonly maxRows?: number
}

/** Runs statements of strangers against one database: read-only, bounded, each on a connection as new. */
export interface SqlRunner {
  /**
   * Guards and runs a statement and leaves nothing of it behind.
   * @throws SqlRefusal when the gate refuses it, SqlStatementError when the database does
   * @throws ApiError `sql-timeout` (504), `too-many-statements` (429), `sql-busy` and `sql-stuck` (503, all with
   * details.retryAfterSeconds), `sql-row-too-large` and `sql-memory` (400), `sql-cancelled` (499),
   * `sql-unavailable` (503)
   */
  run(sql: string, options?: RunOptions): Promise<SqlAnswer>
  /** Guards and plans a statement without running it: for examples, repair and tests. @throws as `run` does */
  check(sql: string, options?: Pick<RunOptions, 'signal' | 'client'>): Promise<void>
  /** Database sessions that do not end although they were told to. */
  readonly stuckSessions: number
  /** Ends statements that run, and closes all connections. */
  end(): Promise<void>
}
