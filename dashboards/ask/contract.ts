import type { SqlValue } from '../kit/result-table.ts'

/** What the query service says over HTTP, as far as the page reads it. Names are those of its JSON. */

/** A database that can be asked. */
export type Target = 'indexer' | 'evm'

/** `GET /health`: open to all, so that the page knows what it may offer before anybody has shown a token. */
export interface Health {
  readonly status: string
  readonly targets: readonly Target[]
  /** Who writes the SQL; null where no model is set. */
  readonly model: ModelInUse | null
  /** What to set, where no model is. */
  readonly remedy: string | null
  /** Whether all else wants a bearer token. */
  readonly needs_token: boolean
}

export interface ModelInUse {
  readonly provider: string
  readonly name: string
  /** Whether it only knows its example questions, as that of the demo. */
  readonly is_scripted: boolean
}

/** A statement that ran, or why it did not. */
export interface SqlResult extends SqlFailure {
  readonly target: Target
  readonly sql: string
  /** Each name once: a second `count` is `count_2`. */
  readonly columns: readonly string[]
  /** PostgreSQL's names of the types, in the order of the columns. */
  readonly column_types: readonly string[]
  readonly results: readonly Readonly<Record<string, SqlValue>>[]
  readonly row_count: number
  /** Whether there are more rows than these. */
  readonly truncated: boolean
  /** Which limit left them out: that of rows, or that of the bytes of an answer. */
  readonly truncated_by: 'rows' | 'bytes' | null
  /** All statements that the model wrote for the question, the last of which ran; absent where it wrote none. */
  readonly attempts?: readonly Attempt[]
  readonly duration_ms: number
}

/** Why a statement did not run; problems have these fields as well. */
export interface SqlFailure {
  /** What went wrong, in words; null where nothing did. */
  readonly error: string | null
  /** The same for programs. */
  readonly error_code?: string | null
  /** Character of the statement at which the fault is, from 1. */
  readonly error_position?: number | null
  /** What PostgreSQL advises. */
  readonly error_hint?: string | null
}

export interface Attempt {
  readonly sql: string
  /** Why another one was asked for. */
  readonly error: string | null
}

/** A statement of the model: all that it wrote for the question, of which the last one counts. */
export interface GeneratedSql extends SqlFailure {
  readonly target: Target
  readonly question: string
  readonly sql: string
  readonly attempts: readonly Attempt[]
  readonly model: string
}

export type AskResult = GeneratedSql & SqlResult

export interface HistoryItem {
  readonly id: string
  readonly target: Target
  /** null where SQL was run as it was given. */
  readonly question: string | null
  /** Empty where the model wrote none. */
  readonly sql: string
  readonly row_count: number | null
  readonly error: string | null
  readonly timestamp: string
}

/** A question with the SQL that answers it: one that came with the program, or one that somebody kept. */
export interface Pair {
  readonly id: string
  readonly target: Target
  readonly question: string
  readonly sql: string
}
