import { Socket } from 'node:net'
import { Client, types } from 'pg'
import type { QueryResult, QueryResultRow } from 'pg'
import { asDatabaseError, isConnectionLost } from './errors.ts'
import { clientConfig } from './pool.ts'
import type { PoolOptions } from './pool.ts'

/** A statement by its name, which stands for this text and no other. */
export interface PreparedStatement {
  readonly name: string
  /** With `$1`, `$2`, … */
  readonly text: string
  readonly values: readonly unknown[]
}

export interface PreparedStatementsOptions extends PoolOptions {
  /** Most connections. */
  readonly max: number
  /**
   * A connection that has so many statements to answer is given more only where all have, and there may be no
   * further one. The larger it is, the fewer wake-ups and system calls the statements take, and the longer one
   * waits for those before it. Default 1.
   */
  readonly depth?: number
  /**
   * The depth is less where the last one of so many would wait longer than this, in milliseconds, by what answers
   * took lately: where a commit waits for a slow disk, more connections have their commits written at a time.
   * Default: no bound.
   */
  readonly queueMs?: number
  /** How columns come, by the type's OID. Default, and for all others: as `pg` gives them. */
  readonly parsers?: ReadonlyMap<number, ColumnParser>
  /** After so long without a statement a connection is closed, in milliseconds. */
  readonly idleTimeoutMs: number
}

type ColumnParser = (text: string) => unknown

/**
 * A connection that has answered nothing for so long, in milliseconds, while it has something to answer, is stuck:
 * a lock, or a server that is gone.
 */
const stuckMs = 100

/** Of the last answers, of which the mean is taken. */
const recentAnswers = 16

/**
 * Statements that are short and run very often: each is planned once a connection, and a connection is sent the
 * next one before it has answered the last, so that few connections, wake-ups and system calls serve many requests.
 * Each is a transaction of its own.
 *
 * The plans are generic: which partitions are read is found out from the values when a statement begins, not
 * planned anew, which is most of the cost of a short one. So whatever is read here bounds the heights of each
 * partitioned table by parameters or constants.
 *
 * A connection is opened when those that there are have enough to do or are stuck, and none is waited for when it
 * is lost: what it was asked fails, and the next statement opens another.
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

  /** Whether there may be no further connection and all are stuck: what is asked now waits for what they wait for. */
  get isStuck(): boolean {
    if (this.#connections.size < this.#options.max) return false
    const stuckSince = performance.now() - stuckMs
    return [...this.#connections].every((connection) => connection.isStuck(stuckSince))
  }

  /**
   * Runs a statement.
   * @throws errors of our tree
   */
  async query<Row extends QueryResultRow>(statement: PreparedStatement): Promise<QueryResult<Row>> {
    try {
      return await this.#runOnce(statement)
    } catch (error) {
      if (!isOutdatedPlan(error)) throw asDatabaseError(error)
    }
    // It has done nothing, and no connection that may have its plan is used any more.
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
      // The others were asked the same, before the table was changed. One that is gone already had this told of it
      // by another statement.
      if (isOutdatedPlan(error) && this.#connections.has(connection))
        for (const one of this.#connections) this.#retire(one)
      // What ends a connection is told to a statement before its socket closes.
      if (isConnectionLost(error)) this.#retire(connection)
      throw error
    }
  }

  /** Waits for what was asked, then closes the connections. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await Promise.all([...this.#connections].map((connection) => connection.end()))
  }

  /**
   * One that has something to do, but not enough; or another one; or the one with least to do. One that is stuck
   * only where all are.
   */
  #choose(): PreparedConnection {
    if (this.#hasEnded) throw new Error('the prepared statements have ended')
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

/**
 * What the server says of a statement whose columns are of other types since a table or view was changed (0A000),
 * and of one that was forgotten (26000).
 */
function isOutdatedPlan(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === '0A000' || code === '26000'
}

/**
 * One connection.
 *
 *     connecting ──► open ──lost, or idle for long, or end()──► gone
 */
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

  /** Statements that were not answered yet. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Whether it has something to answer, and last answered, or was asked after it had answered all, before `since`
   * (by `performance.now()`).
   */
  isStuck(since: number): boolean {
    return this.#waiting > 0 && this.#movedAt < since
  }

  /** From one answer to the next while there is something to answer, in milliseconds: the mean of the last ones. */
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

  /** Each statement that it has lost ends it. */
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

  /** All that is asked in one turn of the event loop is sent at once. */
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
