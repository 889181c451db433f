import { Socket } from 'node:net'
import { Client, types } from 'pg'
import type { QueryResult, QueryResultRow } from 'pg'
import { asDatabaseError, isConnectionLost } from './errors.ts'
import { clientConfig } from './pool.ts'
import type { PoolOptions } from './pool.ts'

/** A name always stands for the same text. */
export interface PreparedStatement {
  readonly name: string
  /** With `$1`, `$2`, … */
  readonly text: string
  readonly values: readonly unknown[]
}

export interface PreparedStatementsOptions extends PoolOptions {
  readonly max: number
  /**
   * Pending statements at which a connection is given no more, unless all are full and no further one may be
   * opened. Deeper queues need fewer wake-ups and system calls, but statements wait longer. Default 1.
   */
  readonly depth?: number
  /**
   * Reduces the depth if the last statement would wait longer than this, ms, at the recent response times: with a
   * slow disk, commits run in parallel on more connections. Default: no limit.
   */
  readonly queueMs?: number
  /** Column parsers by type OID. Default: those of `pg`. */
  readonly parsers?: ReadonlyMap<number, ColumnParser>
  /** Idle connections are closed after this time, ms. */
  readonly idleTimeoutMs: number
}

type ColumnParser = (text: string) => unknown

/** A connection with pending statements and no response for this time, ms, is stuck: on a lock or a dead server. */
const stuckMs = 100

/** Number of responses in the average. */
const recentAnswers = 16

/**
 * Pipelined prepared statements for short, frequent queries: each is planned once per connection, and statements
 * are sent before earlier ones have finished, so few connections serve many requests. Each statement is its own
 * transaction.
 *
 * Plans are generic: partitions are pruned at execution, which avoids most of the cost of a short query. Queries
 * must therefore bound the heights of each partitioned table by parameters or constants.
 *
 * A connection opens when the others are busy or stuck. When one is lost, its pending statements fail.
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

  /** Whether all connections are stuck and no further one may be opened. */
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
    // It did nothing, so it can be repeated on a new connection.
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
      // The statement fails before its socket closes.
      if (isConnectionLost(error)) this.#retire(connection)
      throw error
    }
  }

  /** Waits for pending statements, then closes the connections. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await Promise.all([...this.#connections].map((connection) => connection.end()))
  }

  /**
   * A connection that is busy but not full, else a new one, else the one with the fewest pending statements; a
   * stuck one only if all are.
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
      const room = Math.max(1, Math.min(depth, queueMs / connection.answerMs))
      if (waiting < room && (fullest === undefined || waiting > fullest.waiting)) fullest = connection
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
  readonly #onGone: () => void
  #isOpen = false
  #isCorked = false
  #waiting = 0
  #movedAt = 0
  #answerMs = 0
  #whenQuiet: PromiseWithResolvers<void> | undefined
  #ended: Promise<void> | undefined

  constructor(url: string, options: PreparedStatementsOptions, onGone: () => void) {
    const { parsers, settings } = options
    this.#onGone = onGone
    this.#client = new Client({
      ...clientConfig(url, { ...options, settings: { ...settings, plan_cache_mode: 'force_generic_plan' } }),
      pipeline: true,
      stream: () => this.#socket,
      types: {
        getTypeParser: (oid: number): ColumnParser => parsers?.get(oid) ?? (types.getTypeParser(oid) as ColumnParser),
      },
    })
    this.#client.on('error', onGone)
    this.#client.on('end', onGone)
    this.#connected = this.#connect()
    this.#idle = setTimeout(() => void this.#endIfIdle(), options.idleTimeoutMs).unref()
  }

  /** Pending statements. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Whether statements are pending and the last response, or the first of them, is older than `since`
   * (`performance.now()`).
   */
  isStuck(since: number): boolean {
    return this.#waiting > 0 && this.#movedAt < since
  }

  /** Mean time between recent responses while statements are pending, ms. */
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

  /** Pending statements fail. */
  end(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    this.#onGone()
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
      this.#onGone()
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
    process.nextTick(() => {
      this.#isCorked = false
      this.#socket.uncork()
    })
  }
}
