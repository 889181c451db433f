import { setImmediate } from 'node:timers/promises'
import { DatabaseError, escapeIdentifier } from 'pg'
import type { Connection, PoolClient, Submittable } from 'pg'
import { isConnectionLost } from '../../../platform/db/errors.ts'
import { asError } from '../../../platform/errors.ts'
import type { Slot, Slots } from '../../../platform/limits/slots.ts'
import { maxParsedLength, unknownType } from './result-types.ts'
import type { KnownTypes } from './result-types.ts'
import {
  clientLeft,
  databaseUnavailable,
  outOfMemory,
  rowTooLarge,
  SqlRefusal,
  SqlStatementError,
  timedOut,
} from './sql-errors.ts'
import type { SqlAnswer, SqlValue } from './sql-runner.ts'

export interface StatementRunnerOptions {
  readonly connect: () => Promise<PoolClient>
  readonly slots: Slots
  readonly types: KnownTypes
  readonly role: string | undefined
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly cancel: (processId: number) => Promise<void>
  /** Resolves when the session's slot is free; see `ServerSessions.end`. */
  readonly endSession: (processId: number, onStuck: () => void) => Promise<void>
  readonly onLost: (error: Error) => void
  /** Grace after the server's statement timeout before the connection counts as dead. */
  readonly answerGraceMs?: number
}

export interface Statement {
  readonly sql: string
  /** Of `$1`, `$2`, …, with types that the server infers. */
  readonly values?: readonly string[]
  readonly maxRows: number
  readonly signal: AbortSignal | undefined
  readonly client?: string | undefined
  /** Runs within the slot, so slots also bound the gate's work. @throws SqlRefusal */
  readonly judge?: () => Promise<void>
  readonly prefix?: string
}

interface Guard {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  /** Characters before the statement. */
  readonly prefixLength: number
}

export interface ExportedStatement {
  readonly sql: string
  readonly values: readonly string[]
  readonly judge: () => Promise<void>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** @returns whether to continue */
  readonly onRows: (batch: Pick<SqlAnswer, 'columns' | 'rows'>) => Promise<boolean>
}

/**
 * PostgreSQL keeps each time zone that a statement names until the session ends: 640 MB for a second
 * of CPU. Longer-lived sessions would have no memory left for other statements.
 */
const maxSessionMs = 250

const batchRows = 200
const batchBytes = 32_000_000

/** Runs statements in read-only transactions that are rolled back. */
export class StatementRunner {
  readonly #options: StatementRunnerOptions
  readonly #before: readonly string[]
  readonly #usedMs = new WeakMap<PoolClient, number>()

  constructor(options: StatementRunnerOptions) {
    this.#options = options
    this.#before = [
      'BEGIN TRANSACTION READ ONLY',
      ...(options.role === undefined ? [] : [`SET LOCAL ROLE ${escapeIdentifier(options.role)}`]),
    ]
  }

  /** @throws as `SqlRunner.run` */
  async run(statement: Statement): Promise<SqlAnswer> {
    const { slots, timeoutMs, connect } = this.#options
    const slot = await slots.enter(statement.client, { signal: statement.signal, maxWaitMs: timeoutMs })
    let client: PoolClient
    let isDenied = false
    try {
      await statement.judge?.()
      client = await connect()
    } catch (error) {
      slot.leave()
      throw error instanceof SqlRefusal ? error : databaseUnavailable(error)
    }
    const startedAt = performance.now()
    try {
      return await this.#runOn(client, statement)
    } catch (error) {
      // The gate allows only readable tables, so the role's rights changed.
      isDenied = error instanceof SqlStatementError && error.sqlState === '42501'
      throw error
    } finally {
      void this.#reset(client, isDenied || this.#isUsedUp(client, startedAt), slot).finally(slot.leave)
    }
  }

  /**
   * Reads all rows by a cursor, without a slot: the caller limits exports.
   * @throws as `run`
   */
  async export({ sql, values, judge, signal, timeoutMs, onRows }: ExportedStatement): Promise<void> {
    await judge()
    const client = await this.#options.connect().catch((error: unknown) => {
      throw databaseUnavailable(error)
    })
    const deadline = performance.now() + timeoutMs
    const declare = 'DECLARE export NO SCROLL CURSOR FOR '
    try {
      await this.#guarded(client, { signal, timeoutMs, prefixLength: declare.length }, async () => {
        const receive = (before: readonly string[], text: string, given: readonly string[]): Promise<Received> =>
          client.query(new BoundedQuery({ before, text, values: given, maxRows: batchRows + 1, maxBytes: batchBytes }))
            .received
        const settings = [`SET LOCAL statement_timeout = ${timeoutMs}`, 'SET LOCAL cursor_tuple_fraction = 1']
        await receive([...this.#before, ...settings], declare + sql, values)
        for (;;) {
          const received = await receive([], `FETCH FORWARD ${batchRows} FROM export`, [])
          if (received.isCut) throw rowTooLarge(batchBytes)
          const { columns, rows } = await this.#answer(received, batchRows, 0)
          if (!(await onRows({ columns, rows })) || rows.length < batchRows) return
          if (performance.now() > deadline)
            throw timedOut(timeoutMs / 1000, new Error('the time of the export is over'))
        }
      })
    } finally {
      void this.#reset(client, true, { leave: () => undefined, hold: () => undefined })
    }
  }

  async #runOn(client: PoolClient, { sql, values = [], maxRows, signal, prefix = '' }: Statement): Promise<SqlAnswer> {
    const { timeoutMs, maxBytes } = this.#options
    const startedAt = performance.now()
    return await this.#guarded(client, { signal, timeoutMs, prefixLength: prefix.length }, async () => {
      const query = client.query(
        new BoundedQuery({ before: this.#before, text: prefix + sql, values, maxRows: maxRows + 1, maxBytes }),
      )
      return await this.#answer(await query.received, maxRows, performance.now() - startedAt)
    })
  }

  async #guarded<Result>(
    client: PoolClient,
    { signal, timeoutMs, prefixLength }: Guard,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const { answerGraceMs = 5000 } = this.#options
    const startedAt = performance.now()
    const ending = new Ending(client, this.#options.cancel)
    const leave = (): void => ending.cancel()
    const timer = setTimeout(() => ending.giveUp(), timeoutMs + answerGraceMs)
    try {
      if (signal?.aborted === true) throw clientLeft(signal.reason)
      signal?.addEventListener('abort', leave)
      return await act()
    } catch (error) {
      if (signal?.aborted === true) throw clientLeft(error)
      throw this.#explained(error, prefixLength, { timeoutMs, elapsedMs: performance.now() - startedAt })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      await ending.settled()
    }
  }

  async #answer({ columns, rows, isCut }: Received, maxRows: number, durationMs: number): Promise<SqlAnswer> {
    if (isCut && rows.length === 0) throw rowTooLarge(this.#options.maxBytes)
    const types = columns.map(({ dataTypeID }) => this.#options.types.get(dataTypeID) ?? unknownType)
    const kept: SqlValue[][] = []
    let parsed = 0
    for (const row of rows.slice(0, maxRows)) {
      kept.push(row.map((text, index) => (text === null ? null : (types[index] ?? unknownType).read(text))))
      parsed += row.reduce((sum, text) => sum + (text?.length ?? 0), 0)
      if (parsed < maxParsedLength) continue
      parsed = 0
      await setImmediate()
    }
    const truncatedBy = rows.length > maxRows ? ('rows' as const) : ('bytes' as const)
    const truncated = isCut || rows.length > maxRows
    return {
      columns: columns.map(({ name }, index) => ({ name, type: types[index]?.name ?? unknownType.name })),
      rows: kept,
      rowCount: kept.length,
      truncated,
      ...(truncated ? { truncatedBy } : {}),
      durationMs,
    }
  }

  #explained(
    thrown: unknown,
    before: number,
    { timeoutMs, elapsedMs }: { readonly timeoutMs: number; readonly elapsedMs: number },
  ): Error {
    const error = asError(thrown)
    if (elapsedMs >= timeoutMs && (isConnectionLost(error) || isCancelled(error)))
      return timedOut(timeoutMs / 1000, error)
    if (isCancelled(error)) return clientLeft(error)
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

  #isUsedUp(client: PoolClient, startedAt: number): boolean {
    const usedMs = (this.#usedMs.get(client) ?? 0) + performance.now() - startedAt
    this.#usedMs.set(client, usedMs)
    return usedMs > maxSessionMs
  }

  /**
   * Removes settings, temporary tables, advisory locks, cursors and prepared statements. The slot
   * stays in use until the session has ended or counts as stuck.
   */
  async #reset(client: PoolClient, isUsedUp: boolean, slot: Slot): Promise<void> {
    try {
      await client.query('ROLLBACK')
      await client.query('DISCARD ALL')
      client.release(isUsedUp)
    } catch (error) {
      client.release(true)
      this.#options.onLost(asError(error))
      await this.#options.endSession(processIdOf(client), slot.hold)
    }
  }
}

function processIdOf(client: PoolClient): number {
  return (client as PoolClient & { readonly processID: number }).processID
}

function isCancelled(error: Error): boolean {
  return error instanceof DatabaseError && error.code === '57014'
}

/** Memory and disk errors are the statement's. */
function isOfServer({ code = '' }: DatabaseError): boolean {
  return /^(08|57|58)/.test(code) || ['53000', '53100', '53300', '25P03', '25P04'].includes(code)
}

const cancelGraceMs = 1000

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

  /** The server notices a closed connection at its next write. */
  giveUp(): void {
    const { connection } = this.#client as PoolClient & {
      readonly connection: { readonly stream: { destroy: () => void } }
    }
    connection.stream.destroy()
    this.#givenUp.resolve()
  }

  /** Resolves when no pending cancellation can hit the next statement of the session. */
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
  readonly rows: readonly (readonly (string | null)[])[]
  readonly isCut: boolean
}

export interface BoundedQueryOptions {
  /** Statements without rows in the same round trip; if one fails, the statement does not run. */
  readonly before: readonly string[]
  readonly text: string
  readonly values?: readonly string[]
  readonly maxRows: number
  readonly maxBytes: number
}

/**
 * The extended protocol allows only one statement, with a row limit on the server. Bytes are
 * counted within rows too, since one row may have a gigabyte.
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

  /** @throws errors of the server and the connection */
  get received(): Promise<Received> {
    return this.#outcome.promise
  }

  submit(connection: Connection): void {
    const { stream } = connection
    const count = (chunk: Buffer): void => {
      this.#bytes += chunk.length
      if (this.#bytes <= this.#options.maxBytes) return
      this.#stopCounting()
      this.#outcome.resolve({ columns: this.#columns, rows: this.#rows, isCut: true })
      stream.destroy()
    }
    stream.on('data', count)
    this.#stopCounting = () => stream.off('data', count)
    stream.cork()
    // The driver sends at once, despite its types; the cork batches the messages.
    for (const text of this.#options.before) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.bind({}, true)
      connection.execute({ portal: '' }, true)
    }
    connection.parse({ name: '', text: this.#options.text, types: [] }, true)
    connection.bind({ values: [...(this.#options.values ?? [])] }, true)
    connection.describe({ type: 'P', name: '' }, true)
    connection.execute({ portal: '', rows: String(this.#options.maxRows) }, true)
    connection.sync()
    stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly ReceivedColumn[] }): void {
    this.#columns = fields
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(fields)
  }

  handlePortalSuspended(): void {
    // The response to `sync` follows.
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  /** The gate refuses COPY; without this response the server would wait for data. */
  handleCopyInResponse(connection: Connection & { readonly sendCopyFail: (message: string) => void }): void {
    connection.sendCopyFail('COPY is not supported')
  }

  handleCopyData(): void {
    // Counted and dropped.
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
