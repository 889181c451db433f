/** The responses of the API. Made by `npm run docs`: do not edit. */

/** The response of each path that is read. */
export interface Answers {
  readonly '/api/v1/history': readonly HistoryItem[]
  readonly '/api/v1/history/{id}': HistoryItem
  readonly '/api/v1/memory': { readonly data: readonly KeptPair[]; readonly total: number }
  readonly '/api/v1/memory/search': { readonly data: readonly FoundPair[] }
  readonly '/health': Health
  readonly '/api/v1/examples': { readonly data: readonly Example[] }
}

export interface AskResult {
  /** The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer. */
  readonly target: 'indexer' | 'evm'
  readonly question: string
  /** The last statement of the model, without fences and prose. */
  readonly sql: string
  /** Every statement that the model wrote for this question, with why the next one was asked for. */
  readonly attempts: readonly ({ readonly sql: string; readonly error: string | null })[]
  /** Who wrote it. */
  readonly model: string
  /** Names the text that the model was given: tables, notes, examples, rules. */
  readonly prompt_version: string
  /** From the question to the answer, with all turns of the model. */
  readonly duration_ms: number
  /** Names of the columns, each once: a second `count` is `count_2`. */
  readonly columns: readonly string[]
  /** PostgreSQL's names of the types, in the order of the columns. */
  readonly column_types: readonly string[]
  /** The rows, by the names of the columns. Values are exact: int8 and numeric are texts, bytea is `0x` and hex, times are ISO 8601 in UTC. */
  readonly results: readonly (Readonly<Record<string, unknown>>)[]
  /** How many rows these are. */
  readonly row_count: number
  /** Whether there are more, which were left out: aggregate, or narrow the statement. */
  readonly truncated: boolean
  /** The limit that left rows out: MAX_RESULT_ROWS, or that of the size of an answer. */
  readonly truncated_by: 'rows' | 'bytes' | null
  /** What went wrong and what to do; null where nothing did. */
  readonly error: string | null
  /** The same for programs; stable. */
  readonly error_code: string | null
  /** PostgreSQL's code of the error, where the database refused the statement. */
  readonly sql_state: string | null
  /** Character of `sql` at which the fault is, from 1. */
  readonly error_position: number | null
  /** What PostgreSQL advises. */
  readonly error_hint: string | null
}

export interface GeneratedSql {
  /** The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer. */
  readonly target: 'indexer' | 'evm'
  readonly question: string
  /** The last statement of the model, without fences and prose. */
  readonly sql: string
  /** Every statement that the model wrote for this question, with why the next one was asked for. */
  readonly attempts: readonly ({ readonly sql: string; readonly error: string | null })[]
  /** Who wrote it. */
  readonly model: string
  /** Names the text that the model was given: tables, notes, examples, rules. */
  readonly prompt_version: string
  /** From the question to the answer, with all turns of the model. */
  readonly duration_ms: number
  /** What went wrong and what to do; null where nothing did. */
  readonly error: string | null
  /** The same for programs; stable. */
  readonly error_code: string | null
  /** PostgreSQL's code of the error, where the database refused the statement. */
  readonly sql_state: string | null
  /** Character of `sql` at which the fault is, from 1. */
  readonly error_position: number | null
  /** What PostgreSQL advises. */
  readonly error_hint: string | null
}

export interface SqlResult {
  /** The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer. */
  readonly target: 'indexer' | 'evm'
  readonly sql: string
  /** Names of the columns, each once: a second `count` is `count_2`. */
  readonly columns: readonly string[]
  /** PostgreSQL's names of the types, in the order of the columns. */
  readonly column_types: readonly string[]
  /** The rows, by the names of the columns. Values are exact: int8 and numeric are texts, bytea is `0x` and hex, times are ISO 8601 in UTC. */
  readonly results: readonly (Readonly<Record<string, unknown>>)[]
  /** How many rows these are. */
  readonly row_count: number
  /** Whether there are more, which were left out: aggregate, or narrow the statement. */
  readonly truncated: boolean
  /** The limit that left rows out: MAX_RESULT_ROWS, or that of the size of an answer. */
  readonly truncated_by: 'rows' | 'bytes' | null
  /** What went wrong and what to do; null where nothing did. */
  readonly error: string | null
  /** The same for programs; stable. */
  readonly error_code: string | null
  /** PostgreSQL's code of the error, where the database refused the statement. */
  readonly sql_state: string | null
  /** Character of `sql` at which the fault is, from 1. */
  readonly error_position: number | null
  /** What PostgreSQL advises. */
  readonly error_hint: string | null
  /** In the database, with the checks before it. */
  readonly duration_ms: number
}

export interface HistoryItem {
  readonly id: string
  /** The call by which it came. */
  readonly kind: 'ask' | 'generate_sql' | 'run_sql'
  /** The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer. */
  readonly target: 'indexer' | 'evm'
  /** null where SQL was run as it was given. */
  readonly question: string | null
  /** Empty where the model wrote none. */
  readonly sql: string
  /** null where nothing was run. */
  readonly row_count: number | null
  readonly error: string | null
  /** When it was answered, ISO 8601 in UTC. */
  readonly timestamp: string
}

export interface KeptPair {
  readonly id: string
  readonly target: 'indexer' | 'evm'
  readonly question: string
  readonly sql: string
  /** When it was approved, ISO 8601 in UTC. */
  readonly kept_at: string
}

export interface FoundPair {
  readonly id: string
  readonly target: 'indexer' | 'evm'
  readonly question: string
  readonly sql: string
  /** When it was approved, ISO 8601 in UTC. */
  readonly kept_at: string
  /** How alike the questions are, from 0 to 1. */
  readonly likeness: number
}

export interface Health {
  /** ok, or degraded: some database sessions do not end, see `stuck_sessions`. */
  readonly status: string
  /** Database sessions that PostgreSQL cannot end. The log of the service says what to do. */
  readonly stuck_sessions: number
  /** Databases that can be asked. */
  readonly targets: readonly ('indexer' | 'evm')[]
  /** Who writes the statements; null where no model is set, and `remedy` says what to set. */
  readonly model: { readonly provider: string; readonly name: string; readonly is_scripted: boolean } | null
  readonly remedy: string | null
  /** Whether all other calls need a token. */
  readonly needs_token: boolean
}

export interface Example {
  readonly id: string
  /** The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer. */
  readonly target: 'indexer' | 'evm'
  readonly question: string
  /** The same in other words and languages. */
  readonly questions: readonly string[]
  readonly sql: string
}
