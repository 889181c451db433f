import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'

/** Pause between two checks. */
export const healthIntervalMs = 1000

/** Longest time that the database may take to answer a check. */
export const healthTimeoutMs = 2000

/** A result that is older than this says nothing, as when this process did not run for a while. */
export const maxHealthAgeMs = 5000

export interface Health {
  readonly isAlive: boolean
  /** Milliseconds since the last check ended. */
  readonly ageMs: number
}

/** Checks in the background whether the database answers, so that requests for the health of the service never reach it. */
export class DatabaseHealth {
  readonly #database: DatabasePool
  readonly #stopping = new AbortController()
  #isAlive = false
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined
  /** A check that timed out may still wait for a connection: it is not joined by another one. */
  #query: Promise<boolean> | undefined

  constructor(database: DatabasePool) {
    this.#database = database
  }

  /** Resolves after the first check. */
  async start(): Promise<void> {
    await this.#check()
    this.#checking = this.#repeat()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#checking
  }

  get(): Health {
    const ageMs = performance.now() - this.#checkedAt
    return { isAlive: this.#isAlive && ageMs <= maxHealthAgeMs, ageMs }
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await delay(healthIntervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.#check()
    }
  }

  async #check(): Promise<void> {
    this.#query ??= this.#database
      .query(sql.unsafe`select 1`)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#query = undefined
      })
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const giveUp = (): void => resolve(false)
    const timer = setTimeout(giveUp, healthTimeoutMs)
    this.#stopping.signal.addEventListener('abort', giveUp, { once: true })
    this.#isAlive = await Promise.race([this.#query, late])
    clearTimeout(timer)
    this.#stopping.signal.removeEventListener('abort', giveUp)
    this.#checkedAt = performance.now()
  }
}
