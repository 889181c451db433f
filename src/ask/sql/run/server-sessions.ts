import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Logger } from '../../../base/log.ts'
import { asError } from '../../../base/errors.ts'
import { clientConfig, query } from '../../../db/pool.ts'

/** How long the server may take to end a session before it is told, and how long until it is looked for again. */
const patienceMs = 2000

/** Ends what sessions of the query service do, by connections of their own: those of the pool may all be busy with it. */
export class ServerSessions {
  readonly #url: string
  readonly #log: Logger
  readonly #signal: AbortSignal

  /** @param signal ends all waiting */
  constructor(url: string, log: Logger, signal: AbortSignal) {
    this.#url = url
    this.#log = log
    this.#signal = signal
  }

  /** Ends the statement of a session, which lives on. @throws RetryableError when the server cannot be asked */
  async cancel(processId: number): Promise<void> {
    await this.#ask('SELECT pg_cancel_backend($1)', [processId])
  }

  /** Ends a session and resolves when it is gone, also when the server cannot be asked: then it is of no use to anybody else either. */
  async untilGone(processId: number): Promise<void> {
    try {
      const [session] = await this.#ask<{ since: string }>(`${sessionSql} AND pg_terminate_backend(pid, $2) IS NOT NULL`, [processId, patienceMs])
      if (session === undefined) return
      let isTold = false
      while (!this.#signal.aborted && (await this.#ask(`${sessionSql} AND backend_start::text = $2`, [processId, session.since])).length > 0) {
        if (!isTold) this.#log.warn({ processId }, 'PostgreSQL cannot end a statement before it is through: it keeps its turn until then')
        isTold = true
        await pause(patienceMs, undefined, { signal: this.#signal, ref: false })
      }
    } catch (error) {
      if (!this.#signal.aborted) this.#log.debug({ err: asError(error), processId }, 'a session of the query service was not looked for')
    }
  }

  async #ask<Row extends Record<string, unknown>>(sql: string, values: unknown[]): Promise<Row[]> {
    const client = new Client(clientConfig(this.#url, { applicationName: 'flowfarm ask', statementTimeoutMs: 2 * patienceMs }))
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

/** The number of a session may be given to another one: when it began tells them apart. */
const sessionSql = "SELECT backend_start::text AS since FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND application_name = 'flowfarm ask'"
