import type { DatabaseKnowledge, QueryDatabase } from './query-engine.ts'
import { databaseUnavailable } from './sql/sql-errors.ts'
import type { SqlRunner } from './sql/sql-runner.ts'

const nothing: DatabaseKnowledge = {
  schema: '',
  notes: '',
  examples: [],
  prompt: { instructions: '', version: 'none' },
}

/**
 * A database that could not be reached when the service started.
 *
 *     away ──opened──► there
 *
 * While it is away, statements and questions are refused with 503, before any model is asked, and nothing is known of its tables.
 */
export class LateDatabase implements QueryDatabase {
  readonly #failure = Promise.withResolvers<void>()
  #cause: unknown
  #database: QueryDatabase | undefined

  /** Resolves when it could not be reached for the first time. */
  get firstFailure(): Promise<void> {
    return this.#failure.promise
  }

  failed(cause: unknown): void {
    this.#cause = cause
    this.#failure.resolve()
  }

  opened(database: QueryDatabase): void {
    this.#database = database
  }

  /** @throws ApiError 503 `sql-unavailable` */
  get runner(): SqlRunner {
    if (this.#database === undefined) throw databaseUnavailable(this.#cause)
    return this.#database.runner
  }

  get stuckSessions(): number {
    return this.#database?.stuckSessions ?? 0
  }

  get knowledge(): DatabaseKnowledge {
    return this.#database?.knowledge ?? nothing
  }
}
