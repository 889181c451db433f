import { DatabaseError, escapeIdentifier } from 'pg'
import type { Connection, PoolClient, Submittable } from 'pg'
import { isConnectionLost } from '../../../platform/db/errors.ts'
import { asError } from '../../../platform/errors.ts'
import { unknownType } from './result-types.ts'
import type { KnownTypes } from './result-types.ts'
import {
  askerLeft,
  databaseUnavailable,
  outOfMemory,
  rowTooLarge,
  SqlRefusal,
  SqlStatementError,
  timedOut,
} from './sql-errors.ts'
import type { SqlAnswer } from './sql-runner.ts'
import type { Slot, Turns } from './statement-slots.ts'

export interface StatementRunnerOptions {
  /** Gives a connection of a pool. */
  readonly connect: () => Promise<PoolClient>
  readonly turns: Turns
  readonly types: KnownTypes
  /** The role that each transaction takes on. */
  readonly role: string | undefined
  readonly timeoutMs: number
  readonly mostBytes: number
  /** Ends what a session of the server does, by a connection of its own. */
  readonly cancel: (processId: number) => Promise<void>
  /**
   * Ends a session whose connection was given up. Resolves when its slot may be used again, and calls `onHeld` when that
   * may take long, as `ServerSessions.end` does.
   */
  readonly endSession: (processId: number, onHeld: () => void) => Promise<void>
  /** Told of a connection that could not be made as new again; it is closed. */
  readonly onLost: (error: Error) => void
  /** Beyond the statement time-out of the server, how long its answer may take before the connection counts as dead. Default 5,000. */
  readonly answerGraceMs?: number
}

export interface Statement {
  readonly sql: string
  readonly mostRows: number
  readonly signal: AbortSignal | undefined
  /** Network address of the client; undefined: the program itself. */
  readonly client?: string | undefined
  /** Judges the statement once it has its slot, so that the slots bound the work of judging too. @throws SqlRefusal */
  readonly judge?: () => Promise<void>
  /** Characters before what was asked, which the server counts and whoever asked does not. */
  readonly prefix?: string
}

/**
 * Runs a statement that the gate let through: in a transaction that only reads and is rolled back, on a connection that is made as new
 * before anybody else gets it. Whoever asked need not wait for that.
 */
export class StatementRunner {
  readonly #options: StatementRunnerOptions
  readonly #before: readonly string[]

  constructor(options: StatementRunnerOptions) {
    this.#options = options
    this.#before = [
      'BEGIN TRANSACTION READ ONLY',
      ...(options.role === undefined ? [] : [`SET LOCAL ROLE ${escapeIdentifier(options.role)}`]),
    ]
  }

  /** @throws what `SqlRunner.run` throws, but for refusals */
  async run(statement: Statement): Promise<SqlAnswer> {
    const { turns, timeoutMs, connect } = this.#options
    const slot = await turns.take(timeoutMs, statement.signal, statement.client)
    let client: PoolClient
    let isDenied = false
    try {
      await statement.judge?.()
      client = await connect()
    } catch (error) {
      slot.end()
      throw error instanceof SqlRefusal ? error : databaseUnavailable(error)
    }
    try {
      return await this.#runOn(client, statement)
    } catch (error) {
      // What the gate lets through may be read, unless the role is another one by now: a new connection will tell.
      isDenied = error instanceof SqlStatementError && error.sqlState === '42501'
      throw error
    } finally {
      void this.#reset(client, isDenied, slot).finally(slot.end)
    }
  }

  async #runOn(client: PoolClient, { sql, mostRows, signal, prefix = '' }: Statement): Promise<SqlAnswer> {
    const { timeoutMs, mostBytes, answerGraceMs = 5000 } = this.#options
    const startedAt = performance.now()
    const ending = new Ending(client, this.#options.cancel)
    const leave = (): void => ending.cancel()
    const timer = setTimeout(() => ending.giveUp(), timeoutMs + answerGraceMs)
    try {
      if (signal?.aborted === true) throw askerLeft(signal.reason)
      signal?.addEventListener('abort', leave)
      const query = client.query(
        new BoundedQuery({ before: this.#before, text: prefix + sql, mostRows: mostRows + 1, mostBytes }),
      )
      return this.#answer(await query.received, mostRows, performance.now() - startedAt)
    } catch (error) {
      if (signal?.aborted === true) throw askerLeft(error)
      throw this.#explained(error, prefix.length, performance.now() - startedAt)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      await ending.settled()
    }
  }

  #answer({ columns, rows, isCut }: Received, mostRows: number, durationMs: number): SqlAnswer {
    if (isCut && rows.length === 0) throw rowTooLarge(this.#options.mostBytes)
    const types = columns.map(({ dataTypeID }) => this.#options.types.get(dataTypeID) ?? unknownType)
    const kept = rows.slice(0, mostRows)
    const truncatedBy = rows.length > mostRows ? ('rows' as const) : ('bytes' as const)
    const truncated = isCut || rows.length > mostRows
    return {
      columns: columns.map(({ name }, index) => ({ name, type: types[index]?.name ?? unknownType.name })),
      rows: kept.map((row) =>
        row.map((text, index) => (text === null ? null : (types[index] ?? unknownType).read(text))),
      ),
      rowCount: kept.length,
      truncated,
      ...(truncated ? { truncatedBy } : {}),
      durationMs,
    }
  }

  #explained(thrown: unknown, before: number, elapsedMs: number): Error {
    const error = asError(thrown)
    const { timeoutMs } = this.#options
    if (elapsedMs >= timeoutMs && (isConnectionLost(error) || isCancelled(error)))
      return timedOut(timeoutMs / 1000, error)
    if (isCancelled(error)) return askerLeft(error)
    if (error instanceof DatabaseError && error.code === '53200') return outOfMemory(error)
    if (!(error instanceof DatabaseError) || isOfServer(error))
      return error instanceof DatabaseError || isConnectionLost(error) ? databaseUnavailable(error) : error
    const { code = '', position, hint } = error
    const place = Number(position) - before
    return new SqlStatementError(
      error.message,
      { sqlState: code, ...(place > 0 ? { position: place } : {}), ...(hint === undefined ? {} : { hint }) },
      error,
    )
  }

  /**
   * Leaves nothing of the statement: settings, temporary tables, advisory locks, cursors, prepared statements. A turn
   * lasts until its session has ended, or counts as stuck.
   */
  async #reset(client: PoolClient, isDenied: boolean, slot: Slot): Promise<void> {
    try {
      await client.query('ROLLBACK')
      await client.query('DISCARD ALL')
      client.release(isDenied)
    } catch (error) {
      client.release(true)
      this.#options.onLost(asError(error))
      await this.#options.endSession(processIdOf(client), slot.hold)
    }
  }
}

/** What the server calls the session. */
function processIdOf(client: PoolClient): number {
  return (client as PoolClient & { readonly processID: number }).processID
}

/** 57014 query_canceled. */
function isCancelled(error: Error): boolean {
  return error instanceof DatabaseError && error.code === '57014'
}

/** What the server, and not the statement, is at fault for; without what a statement asks too much of: memory and disk. */
function isOfServer({ code = '' }: DatabaseError): boolean {
  return /^(08|57|58)/.test(code) || ['53000', '53100', '53300', '25P03', '25P04'].includes(code)
}

/**
 * How long a statement may take to end after it was cancelled, ms; then its connection is closed and its session ended.
 */
const cancelGraceMs = 1000

/** The ways in which a statement under way is ended. */
class Ending {
  readonly #client: PoolClient
  readonly #cancel: (processId: number) => Promise<void>
  readonly #givenUp = Promise.withResolvers<void>()
  #cancelled: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(client: PoolClient, cancel: (processId: number) => Promise<void>) {
    this.#client = client
    this.#cancel = cancel
  }

  cancel(): void {
    this.#timer = setTimeout(() => this.giveUp(), cancelGraceMs)
    this.#cancelled = this.#cancel(processIdOf(this.#client)).catch(() => this.giveUp())
  }

  /** The server ends a session whose connection is gone when it next writes to it. */
  giveUp(): void {
    const { connection } = this.#client as PoolClient & {
      readonly connection: { readonly stream: { destroy: () => void } }
    }
    connection.stream.destroy()
    this.#givenUp.resolve()
  }

  /** Resolves when no cancellation is under way that could hit the next statement of the session. */
  async settled(): Promise<void> {
    clearTimeout(this.#timer)
    await Promise.race([this.#cancelled, this.#givenUp.promise])
  }
}

export interface ReceivedColumn {
  readonly name: string
  readonly dataTypeID: number
}

export interface Received {
  readonly columns: readonly ReceivedColumn[]
  /** Values as the server writes them. */
  readonly rows: readonly (readonly (string | null)[])[]
  /** The server sent more bytes than it may: the rest was not waited for, and the connection is of no use any more. */
  readonly isCut: boolean
}

export interface BoundedQueryOptions {
  /** Statements that go before it in the same round trip, and give no rows; when one of them fails, it is not run. */
  readonly before: readonly string[]
  readonly text: string
  readonly mostRows: number
  readonly mostBytes: number
}

/**
 * One statement without parameters by the extended protocol, with those before it in one round trip: a text of it has no second
 * statement, and the server stops after so many rows. What comes is counted as it comes, also within a row, which may have a gigabyte.
 */
export class BoundedQuery implements Submittable {
  readonly #options: BoundedQueryOptions
  readonly #outcome = Promise.withResolvers<Received>()
  #columns: readonly ReceivedColumn[] = []
  readonly #rows: (readonly (string | null)[])[] = []
  #bytes = 0
  #stopCounting: () => void = () => undefined

  constructor(options: BoundedQueryOptions) {
    this.#options = options
  }

  /** Settles when the server has said all of it. @throws what the server or the connection threw */
  get received(): Promise<Received> {
    return this.#outcome.promise
  }

  submit(connection: Connection): void {
    const { stream } = connection
    const count = (chunk: Buffer): void => {
      this.#bytes += chunk.length
      if (this.#bytes <= this.#options.mostBytes) return
      this.#stopCounting()
      this.#outcome.resolve({ columns: this.#columns, rows: this.#rows, isCut: true })
      stream.destroy()
    }
    stream.on('data', count)
    this.#stopCounting = () => stream.off('data', count)
    stream.cork()
    // The types say that each of them waits for `flush`; in fact the driver sends at once, and the cork gathers.
    for (const text of this.#options.before) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.bind({}, true)
      connection.execute({ portal: '' }, true)
    }
    connection.parse({ name: '', text: this.#options.text, types: [] }, true)
    connection.bind({}, true)
    connection.describe({ type: 'P', name: '' }, true)
    connection.execute({ portal: '', rows: String(this.#options.mostRows) }, true)
    connection.sync()
    stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly ReceivedColumn[] }): void {
    this.#columns = fields
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(fields)
  }

  /** There are more rows than were asked for. */
  handlePortalSuspended(): void {
    // What follows is the answer to `sync`.
  }

  handleCommandComplete(): void {
    // Nothing is told by it that the rows do not tell.
  }

  handleEmptyQuery(): void {
    // An answer without columns.
  }

  /** The gate lets no COPY through; without it the server would wait for data that nobody sends. */
  handleCopyInResponse(connection: Connection & { readonly sendCopyFail: (message: string) => void }): void {
    connection.sendCopyFail('there is nothing to copy')
  }

  handleCopyData(): void {
    // Counted with all that comes, and kept by nobody.
  }

  handleReadyForQuery(): void {
    this.#stopCounting()
    this.#outcome.resolve({ columns: this.#columns, rows: this.#rows, isCut: false })
  }

  handleError(error: Error): void {
    this.#stopCounting()
    this.#outcome.reject(error)
  }
}
