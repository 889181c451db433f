import { Socket } from 'node:net'
import { Client, types } from 'pg'
import type { QueryResult, QueryResultRow } from 'pg'
import { asDatabaseError, isConnectionLost } from './errors.ts'
import { clientConfig } from './pool.ts'
import type { PoolOptions } from './pool.ts'

/** Statements of one name have the same text. */
export interface PreparedStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

export interface PreparedStatementsOptions extends PoolOptions {
  readonly max: number
  /**
   * Pending statements per connection before another connection is used. Deeper queues need fewer
   * system calls, but statements wait longer. Default 1.
   */
  readonly depth?: number
  /**
   * Reduces the depth if the last statement would wait longer than this, ms: with a slow disk,
   * commits then run in parallel on more connections.
   */
  readonly queueMs?: number
  /** By type OID. Default: those of `pg`. */
  readonly parsers?: ReadonlyMap<number, ColumnParser>
  readonly idleTimeoutMs: number
}

type ColumnParser = (text: string) => unknown

/** A connection without a response for this time, ms, is stuck: on a lock or a dead server. */
const stuckMs = 100

const recentAnswers = 16

/**
 * Pipelined prepared statements: statements are sent before earlier ones have finished, so few
 * connections serve many requests. Each is a transaction.
 *
 * Plans are generic, with partitions pruned at execution: queries must bound the heights of each
 * partitioned table by parameters or constants.
 */
export class PreparedStatements {
  readonly #url: string
  readonly #options: PreparedStatementsOptions
  readonly #connections = new Set<PreparedConnection>()
  #hasEnded = false

  constructor(url: string, options: PreparedStatementsOptions) {
    this.#url = url
    this.#options = options
  }

  get isStuck(): boolean {
    if (this.#connections.size < this.#options.max) return false
    const stuckSince = performance.now() - stuckMs
    return [...this.#connections].every((connection) => connection.isStuck(stuckSince))
  }

  /** @throws FlowfarmError */
  async query<Row extends QueryResultRow>(statement: PreparedStatement): Promise<QueryResult<Row>> {
    try {
      return await this.#runOnce(statement)
    } catch (error) {
      if (!isOutdatedPlan(error)) throw asDatabaseError(error)
    }
    try {
      return await this.#runOnce(statement)
    } catch (error) {
      throw asDatabaseError(error)
    }
  }

  async #runOnce<Row extends QueryResultRow>(statement: PreparedStatement): Promise<QueryResult<Row>> {
    const connection = this.#choose()
    try {
      return await connection.query(statement)
    } catch (error) {
      // Other pending statements of the connection were sent before the table was changed.
      if (isOutdatedPlan(error) && this.#connections.has(connection))
        for (const one of this.#connections) this.#retire(one)
      if (isConnectionLost(error)) this.#retire(connection)
      throw error
    }
  }

  /** Waits for pending statements. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await Promise.all([...this.#connections].map((connection) => connection.end()))
  }

  /**
   * A busy connection that is not full, else a new one, else the one with the fewest pending
   * statements; a stuck one only if all are.
   */
  #choose(): PreparedConnection {
    if (this.#hasEnded) throw new Error('the prepared statements are closed')
    const { depth = 1, queueMs = Number.POSITIVE_INFINITY, max } = this.#options
    const stuckSince = performance.now() - stuckMs
    let [fullest, emptiest, stuck]: (PreparedConnection | undefined)[] = []
    for (const connection of this.#connections) {
      const { waiting } = connection
      if (connection.isStuck(stuckSince)) {
        if (stuck === undefined || waiting < stuck.waiting) stuck = connection
        continue
      }
      const capacity = Math.max(1, Math.min(depth, queueMs / connection.answerMs))
      if (waiting < capacity && (fullest === undefined || waiting > fullest.waiting)) fullest = connection
      if (emptiest === undefined || waiting < emptiest.waiting) emptiest = connection
    }
    if (fullest !== undefined) return fullest
    const other = emptiest ?? stuck
    if (other !== undefined && this.#connections.size >= max) return other
    const connection = new PreparedConnection(this.#url, this.#options, () => this.#connections.delete(connection))
    this.#connections.add(connection)
    return connection
  }

  #retire(connection: PreparedConnection): void {
    this.#connections.delete(connection)
    void connection.end()
  }
}

/** 0A000: a table or view change altered the column types. 26000: the statement no longer exists on the server. */
function isOutdatedPlan(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === '0A000' || code === '26000'
}

/** States: connecting → open → closed (lost, idle, or `end`). */
class PreparedConnection {
  readonly #client: Client
  readonly #socket = new Socket()
  readonly #connected: Promise<unknown>
  readonly #idle: NodeJS.Timeout
  readonly #onClose: () => void
  #isOpen = false
  #isCorked = false
  #waiting = 0
  #movedAt = 0
  #answerMs = 0
  #whenQuiet: PromiseWithResolvers<void> | undefined
  #ended: Promise<void> | undefined

  constructor(url: string, options: PreparedStatementsOptions, onClose: () => void) {
    const { parsers, settings } = options
    this.#onClose = onClose
    this.#client = new Client({
      ...clientConfig(url, { ...options, settings: { ...settings, plan_cache_mode: 'force_generic_plan' } }),
      pipeline: true,
      stream: () => this.#socket,
      types: {
        getTypeParser: (oid: number): ColumnParser => parsers?.get(oid) ?? (types.getTypeParser(oid) as ColumnParser),
      },
    })
    this.#client.on('error', onClose)
    this.#client.on('end', onClose)
    this.#connected = this.#connect()
    this.#idle = setTimeout(() => void this.#endIfIdle(), options.idleTimeoutMs).unref()
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Whether the last response, or the first pending statement, is older than `since`
   * (`performance.now()`).
   */
  isStuck(since: number): boolean {
    return this.#waiting > 0 && this.#movedAt < since
  }

  /** Mean time between recent responses, ms. */
  get answerMs(): number {
    return this.#answerMs
  }

  async query<Row extends QueryResultRow>({ name, text, values }: PreparedStatement): Promise<QueryResult<Row>> {
    if (this.#waiting === 0) this.#movedAt = performance.now()
    this.#waiting++
    this.#idle.refresh()
    try {
      if (!this.#isOpen) await this.#connected
      this.#cork()
      return await this.#client.query<Row>({ name, text, values: [...values] })
    } finally {
      this.#waiting--
      const now = performance.now()
      this.#answerMs += (now - this.#movedAt - this.#answerMs) / recentAnswers
      this.#movedAt = now
      if (this.#waiting === 0) this.#whenQuiet?.resolve()
    }
  }

  end(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    this.#onClose()
    clearTimeout(this.#idle)
    if (this.#waiting > 0) {
      this.#whenQuiet = Promise.withResolvers()
      await this.#whenQuiet.promise
    }
    if (this.#isOpen) await this.#client.end()
  }

  async #connect(): Promise<void> {
    try {
      await this.#client.connect()
      this.#isOpen = true
    } catch (error) {
      this.#onClose()
      throw error
    }
  }

  async #endIfIdle(): Promise<void> {
    if (this.#waiting === 0) await this.end()
  }

  /** Statements of one event-loop turn are sent at once. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#socket.cork()
    setImmediate(() => {
      this.#isCorked = false
      this.#socket.uncork()
    })
  }
}
