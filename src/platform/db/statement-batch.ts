import type { ClientBase, Connection, Submittable } from 'pg'
import { asDatabaseError } from './errors.ts'
import { connectionLimits } from './pool.ts'

export interface BatchStatement {
  /** Names the prepared statement, which is prepared again if its text changes. */
  readonly name: string
  readonly text: string
  /** In PostgreSQL's text format. */
  readonly values?: readonly string[]
}

/** Column values in PostgreSQL's text format. */
export type BatchRow = ReadonlyArray<string | null>

/**
 * Sends all statements in one round trip and returns the rows of each. Each sees what the earlier
 * ones did. After an error the later ones are not executed.
 *
 * @param answerTimeoutMs for each statement; 0: none
 *
 * @throws FlowfarmError with the index of the failed statement (`failedStatement`)
 */
export async function runBatch(
  client: ClientBase,
  statements: readonly BatchStatement[],
  answerTimeoutMs: number = connectionLimits.answerTimeoutMs,
): Promise<BatchRow[][]> {
  if (statements.length === 0) return []
  const batch = new StatementBatch(statements, answerTimeoutMs)
  client.query(batch)
  return batch.rows
}

const preparedTexts = new WeakMap<Connection, Map<string, string>>()

/** Source: PostgreSQL, "Extended Query" and "Pipelining" of the message flow. */
export class StatementBatch implements Submittable {
  readonly statements: readonly BatchStatement[]
  readonly rows: Promise<BatchRow[][]>
  /** In ms. Unlimited, since `pg` limits the whole batch and `#timer` each statement. */
  readonly query_timeout = 2 ** 31 - 1
  callback: (error?: Error) => void
  readonly #answerTimeoutMs: number
  readonly #rows: BatchRow[][]
  #timer: NodeJS.Timeout | undefined
  #prepared: Map<string, string> | undefined
  #completed = 0

  constructor(statements: readonly BatchStatement[], answerTimeoutMs: number) {
    this.statements = statements
    this.#answerTimeoutMs = answerTimeoutMs
    this.#rows = statements.map(() => [])
    const { promise, resolve, reject } = Promise.withResolvers<BatchRow[][]>()
    this.rows = promise
    this.callback = (error) => {
      clearTimeout(this.#timer)
      if (error === undefined) resolve(this.#rows)
      else reject(asDatabaseError(error, { statement: this.#completed }))
    }
  }

  submit(connection: Connection): void {
    this.#prepared = preparedTexts.get(connection) ?? new Map()
    preparedTexts.set(connection, this.#prepared)
    if (this.#answerTimeoutMs > 0)
      this.#timer = setTimeout(() => this.callback(new Error('no answer in time')), this.#answerTimeoutMs)
    connection.stream.cork()
    for (const { name, text, values = [] } of this.statements) {
      if (this.#prepared.get(name) !== text) {
        this.#prepared.delete(name)
        // An earlier batch may have failed after preparing it.
        connection.close({ type: 'S', name }, true)
        connection.parse({ name, text, types: [] }, true)
      }
      connection.bind({ statement: name, values: [...values] }, true)
      connection.execute({}, true)
      // Else the server keeps the answers until the end.
      connection.flush()
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: BatchRow }): void {
    this.#rows[this.#completed]?.push(fields)
  }

  handleCommandComplete(): void {
    this.#timer?.refresh()
    const completed = this.statements[this.#completed++]
    if (completed !== undefined) this.#prepared?.set(completed.name, completed.text)
  }

  handleReadyForQuery(): void {
    this.callback()
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}
