import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Logger } from '../../../base/log.ts'
import { asError } from '../../../base/errors.ts'
import { clientConfig, query } from '../../../db/pool.ts'

/** A session that ends does so within milliseconds. */
const firstPauseMs = 5
/** How long a session that does not end is left alone between two looks. */
const longestPauseMs = 2000

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
      const [session] = await this.#ask<{ since: string }>(terminateSql, [processId])
      if (session === undefined) return
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        await pause(pauseMs, undefined, { signal: this.#signal, ref: false })
        const stillThere = await this.#ask(stillThereSql, [processId, session.since])
        if (stillThere.length === 0) return
        // Told once, when it has taken about as long as the longest pause.
        if (pauseMs < longestPauseMs && 2 * pauseMs >= longestPauseMs) this.#log.warn({ processId }, 'PostgreSQL cannot end a statement before it is through: it keeps its turn until then')
      }
    } catch (error) {
      if (!this.#signal.aborted) this.#log.debug({ err: asError(error), processId }, 'a session of the query service was not looked for')
    }
  }

  async #ask<Row extends Record<string, unknown>>(sql: string, values: unknown[]): Promise<Row[]> {
    const client = new Client(clientConfig(this.#url, { applicationName: 'flowfarm ask', statementTimeoutMs: 5000 }))
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

const sessionsSql = "FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND application_name = 'flowfarm ask'"
/** Among what is selected, and not a condition: the server may try conditions in any order, and would end all sessions. */
const terminateSql = `SELECT backend_start::text AS since, pg_terminate_backend(pid) ${sessionsSql}`
/** The number of a session may be given to another one: when it began tells them apart. */
const stillThereSql = `SELECT ${sessionsSql} AND backend_start::text = $2`
