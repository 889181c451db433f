import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { ClientBase } from 'pg'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { clientConfig, query } from '../../../platform/db/pool.ts'
import { asError, RetryableError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'

/** Nice 10, if the server is on this machine and its processes may be changed. */
export async function lowerSessionPriority(client: ClientBase): Promise<boolean> {
  const { processID, user, database, connection } = client as ClientBase & {
    readonly processID: number
    readonly user: string
    readonly database: string
    readonly connection: { readonly stream: Socket }
  }
  const { localPort } = connection.stream
  try {
    // The title tells it from a process with this id in another container or machine.
    const title = await readFile(`/proc/${processID}/cmdline`, 'utf8')
    const place = localPort === undefined ? ' [local]' : `(${localPort})`
    if (![`${user} ${database} `, place].every((part) => title.includes(part)) || !title.startsWith('postgres: '))
      return false
    setPriority(processID, constants.priority.PRIORITY_BELOW_NORMAL)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

const minPauseMs = 5
const maxPauseMs = 2000

export interface ServerSessionsOptions {
  readonly url: string
  readonly log: Logger
  readonly signal: AbortSignal
  readonly interrupt?: ((processIds: readonly number[]) => Promise<void>) | undefined
  readonly onStuck?: ((count: number) => void) | undefined
  /**
   * Stuck sessions whose slots are replaced: more could exhaust connections and CPUs of the server.
   */
  readonly maxReplaced?: number | undefined
  /** Time to terminate before a session counts as stuck. */
  readonly stuckAfterMs?: number | undefined
}

/**
 * Terminates sessions over separate connections, since those of the pool may all be busy.
 *
 *     terminated ──► gone
 *        └──stuckAfterMs──► interrupted (managed server) ──► gone
 *                             └──stuckAfterMs──► stuck: slot replaced, operator alerted ──► gone
 *
 * Other servers cannot be interrupted: their sessions are stuck after `stuckAfterMs`.
 */
export class ServerSessions {
  readonly #options: ServerSessionsOptions
  readonly #stuck = new Set<string>()
  readonly #replaced = new Set<string>()

  constructor(options: ServerSessionsOptions) {
    this.#options = options
  }

  get stuckCount(): number {
    return this.#stuck.size
  }

  /** The session stays open. @throws RetryableError when the server is unreachable */
  async cancel(processId: number): Promise<void> {
    await this.#query('SELECT pg_cancel_backend($1)', [processId])
  }

  /**
   * Terminates a session. Resolves when its slot may be used again.
   * @param onStuck called when it is stuck and `maxReplaced` others are replaced
   */
  async end(processId: number, onStuck: () => void = () => undefined): Promise<void> {
    const { signal, log } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    void this.#terminate(processId, new HeldSlot(resolve, onStuck))
      .catch((error: unknown) => {
        if (signal.aborted) return
        log.warn({ err: asError(error), processId }, 'Cannot wait for a session of the query service to end')
      })
      .then(resolve)
    await promise
  }

  async #terminate(processId: number, slot: HeldSlot): Promise<void> {
    const [session] = await this.#untilAnswered<{ since: string }>(slot, terminateSql, [processId])
    if (session !== undefined) await this.#waitUntilEnded(processId, session.since, slot)
  }

  async #waitUntilEnded(processId: number, since: string, slot: HeldSlot): Promise<void> {
    const { signal, interrupt, stuckAfterMs = 3000, maxReplaced = 8 } = this.#options
    const name = nameOf(processId, since)
    const terminatedAt = performance.now()
    const stuckAt = terminatedAt + (interrupt === undefined ? 1 : 2) * stuckAfterMs
    try {
      for (let pauseMs = minPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
        await pause(pauseMs, undefined, { signal, ref: false })
        const processes = await this.#untilAnswered<{ pid: number }>(slot, processesSql, [processId, since])
        if (processes.length === 0) return
        if (performance.now() - terminatedAt >= stuckAfterMs) await this.#interrupt(processes.map(({ pid }) => pid))
        if (performance.now() < stuckAt) continue
        const isNew = !this.#stuck.has(name)
        if (isNew) this.#setStuck(name, true)
        if (!this.#replaced.has(name) && (slot.isFree || this.#replaced.size < maxReplaced)) {
          this.#replaced.add(name)
          slot.free()
        } else if (isNew) {
          slot.onStuck()
        }
        if (isNew) this.#alarm(name, processId)
      }
    } finally {
      this.#replaced.delete(name)
      this.#setStuck(name, false)
    }
  }

  async #interrupt(processes: readonly number[]): Promise<void> {
    const { interrupt, log } = this.#options
    try {
      await interrupt?.(processes)
    } catch (error) {
      log.warn({ err: asError(error), processes }, 'Cannot interrupt a session of the query service')
    }
  }

  #setStuck(name: string, isStuck: boolean): void {
    const before = this.#stuck.size
    if (isStuck) this.#stuck.add(name)
    else this.#stuck.delete(name)
    if (this.#stuck.size !== before) this.#options.onStuck?.(this.#stuck.size)
  }

  #alarm(name: string, processId: number): void {
    const consequence = this.#replaced.has(name)
      ? 'Its slot was replaced.'
      : `Its slot stays in use: ${this.#replaced.size} other sessions are stuck too.`
    this.#options.log.error(
      { processId, stuck: this.#stuck.size },
      `PostgreSQL session ${processId} does not terminate: its statement runs code that cannot be cancelled, and ` +
        `uses a CPU. ${consequence} On the database host, run "kill -s FPE ${processId}" as the server's user to end ` +
        'only this session, or restart PostgreSQL with "pg_ctl restart -m immediate".',
    )
  }

  /**
   * Retries while the server does not answer: an untracked session would use a CPU for ever. The
   * slot is free meanwhile: statements fail as unavailable instead of waiting.
   */
  async #untilAnswered<Row extends Record<string, unknown>>(
    slot: HeldSlot,
    sql: string,
    values: unknown[],
  ): Promise<Row[]> {
    const { signal, log } = this.#options
    for (let pauseMs = minPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return await this.#query<Row>(sql, values)
      } catch (error) {
        const err = asDatabaseError(error)
        if (!(err instanceof RetryableError)) throw err
        log.debug({ err }, 'Cannot reach PostgreSQL to end a session of the query service')
        slot.free()
      }
      await pause(pauseMs, undefined, { signal, ref: false })
    }
  }

  async #query<Row extends Record<string, unknown>>(sql: string, values: unknown[]): Promise<Row[]> {
    const config = clientConfig(this.#options.url, { applicationName: 'flowfarm ask', statementTimeoutMs: 5000 })
    const client = new Client(config)
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await query<Row>(client, sql, values)).rows
    } finally {
      await client.end()
    }
  }
}

/** The slot of a statement whose session is to end. */
class HeldSlot {
  readonly #onFree: () => void
  /** Other statements should no longer wait for it. */
  readonly onStuck: () => void
  isFree = false

  constructor(onFree: () => void, onStuck: () => void) {
    this.#onFree = onFree
    this.onStuck = onStuck
  }

  free(): void {
    this.isFree = true
    this.#onFree()
  }
}

/** Process ids are reused. */
function nameOf(processId: number, since: string): string {
  return `${processId} ${since}`
}

/** In the select list, since a WHERE condition could run for all sessions. */
const terminateSql = `
  SELECT backend_start::text AS since, pg_terminate_backend(pid)
  FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND application_name = 'flowfarm ask'`
const processesSql = `
  SELECT p.pid
  FROM pg_catalog.pg_stat_activity AS s JOIN pg_catalog.pg_stat_activity AS p ON p.pid = s.pid OR p.leader_pid = s.pid
  WHERE s.pid = $1 AND s.application_name = 'flowfarm ask' AND s.backend_start::text = $2`
