import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { clientConfig, query } from '../../../platform/db/pool.ts'
import { asError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'

/** A session that ends does so within milliseconds. */
const minPauseMs = 5
/** Longest time between two looks at a session that has not ended. */
const maxPauseMs = 2000

export interface ServerSessionsOptions {
  readonly url: string
  readonly log: Logger
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Interrupts sessions that were told to end and do not, where the server is one of ours. */
  readonly interrupt?: ((processIds: readonly number[]) => Promise<void>) | undefined
  /** Receives the number of stuck sessions whenever it changes. */
  readonly onStuck?: ((count: number) => void) | undefined
  /**
   * Stuck sessions whose slots are replaced. Default 8: with more of them a server could run out of connections and
   * processors.
   */
  readonly maxReplaced?: number | undefined
  /** How long a session may take to end before it counts as stuck, ms. Default 3,000. */
  readonly stuckAfterMs?: number | undefined
}

/**
 * Ends what sessions of the query service do, by connections of its own: those of the pool may all be busy with it.
 *
 *     told to end ──► gone
 *        └──stuckAfterMs──► interrupted (our server) ──► gone
 *                             └──again stuckAfterMs──► stuck: its slot is replaced, an alarm raised ──► gone
 *
 * A server of others has no way to interrupt, so its sessions are stuck after `stuckAfterMs`.
 */
export class ServerSessions {
  readonly #options: ServerSessionsOptions
  readonly #stuck = new Set<string>()
  readonly #replaced = new Set<string>()

  constructor(options: ServerSessionsOptions) {
    this.#options = options
  }

  /** Sessions that do not end. */
  get stuckCount(): number {
    return this.#stuck.size
  }

  /** Ends the statement of a session, which lives on. @throws RetryableError when the server cannot be reached */
  async cancel(processId: number): Promise<void> {
    await this.#query('SELECT pg_cancel_backend($1)', [processId])
  }

  /**
   * Ends a session. Resolves when its slot may be used again: when it is gone, when it is stuck and fewer than
   * `maxReplaced` others are, or when the server cannot be reached.
   * @param onHeld called when it is stuck and as many others are replaced: its slot returns when one of them has ended
   */
  async end(processId: number, onHeld: () => void = () => undefined): Promise<void> {
    const { signal, log } = this.#options
    try {
      const [session] = await this.#query<{ since: string }>(terminateSql, [processId])
      if (session === undefined) return
      const free = Promise.withResolvers<void>()
      this.#untilGone(processId, session.since, { onReplaced: free.resolve, onHeld }).then(free.resolve, free.reject)
      await free.promise
    } catch (error) {
      if (signal.aborted) return
      log.debug({ err: asError(error), processId }, 'could not wait for the end of a session of the query service')
    }
  }

  async #untilGone(
    processId: number,
    since: string,
    { onReplaced, onHeld }: Readonly<Record<'onReplaced' | 'onHeld', () => void>>,
  ): Promise<void> {
    const { signal, interrupt, stuckAfterMs = 3000, maxReplaced = 8 } = this.#options
    const name = nameOf(processId, since)
    const askedAt = performance.now()
    const stuckAt = askedAt + (interrupt === undefined ? 1 : 2) * stuckAfterMs
    try {
      for (let pauseMs = minPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
        await pause(pauseMs, undefined, { signal, ref: false })
        const processes = await this.#processesOf(processId, since)
        if (processes?.length === 0) return
        if (performance.now() - askedAt >= stuckAfterMs && processes !== undefined) await this.#interrupt(processes)
        if (performance.now() < stuckAt) continue
        const isNew = !this.#stuck.has(name)
        if (isNew) this.#setStuck(name, true)
        if (!this.#replaced.has(name) && this.#replaced.size < maxReplaced) {
          this.#replaced.add(name)
          onReplaced()
        } else if (isNew) {
          onHeld()
        }
        if (isNew) this.#alarm(name, processId)
      }
    } finally {
      this.#replaced.delete(name)
      this.#setStuck(name, false)
    }
  }

  /**
   * The processes of a session: its own and its parallel workers. Undefined while a stuck session cannot be looked for.
   */
  async #processesOf(processId: number, since: string): Promise<number[] | undefined> {
    try {
      return (await this.#query<{ pid: number }>(processesSql, [processId, since])).map(({ pid }) => pid)
    } catch (error) {
      // Before that the slot is of no use either: a statement could not connect.
      if (!this.#stuck.has(nameOf(processId, since))) throw error
      return undefined
    }
  }

  async #interrupt(processes: readonly number[]): Promise<void> {
    const { interrupt, log } = this.#options
    try {
      await interrupt?.(processes)
    } catch (error) {
      log.warn({ err: asError(error), processes }, 'could not interrupt a session of the query service')
    }
  }

  #setStuck(name: string, isStuck: boolean): void {
    const before = this.#stuck.size
    if (isStuck) this.#stuck.add(name)
    else this.#stuck.delete(name)
    if (this.#stuck.size !== before) this.#options.onStuck?.(this.#stuck.size)
  }

  #alarm(name: string, processId: number): void {
    const fate = this.#replaced.has(name)
      ? 'Another slot takes its place.'
      : `Its slot stays taken: ${this.#replaced.size} other sessions are stuck too.`
    this.#options.log.error(
      { processId, stuck: this.#stuck.size },
      `PostgreSQL session ${processId} does not end: its statement computes in code that cannot be cancelled, and ` +
        `occupies a processor. ${fate} On the server's machine run "kill -s FPE ${processId}" as its user, which ` +
        'ends this session alone, or restart PostgreSQL with "pg_ctl restart -m immediate".',
    )
  }

  async #query<Row extends Record<string, unknown>>(sql: string, values: unknown[]): Promise<Row[]> {
    const config = clientConfig(this.#options.url, { applicationName: 'flowfarm ask', statementTimeoutMs: 5000 })
    const client = new Client(config)
    // A connection that breaks fails the statement that is under way.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await query<Row>(client, sql, values)).rows
    } finally {
      await client.end()
    }
  }
}

/** A server gives the number of a session that has ended to another one. */
function nameOf(processId: number, since: string): string {
  return `${processId} ${since}`
}

/** In the select list, not in WHERE: conditions may run in any order, and would terminate all sessions. */
const terminateSql = `
  SELECT backend_start::text AS since, pg_terminate_backend(pid)
  FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND application_name = 'flowfarm ask'`
const processesSql = `
  SELECT p.pid
  FROM pg_catalog.pg_stat_activity AS s JOIN pg_catalog.pg_stat_activity AS p ON p.pid = s.pid OR p.leader_pid = s.pid
  WHERE s.pid = $1 AND s.application_name = 'flowfarm ask' AND s.backend_start::text = $2`
