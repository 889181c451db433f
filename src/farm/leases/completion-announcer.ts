import type pg from 'pg'
import { announceFarmWork } from './sql/announce-farm-work.ts'

/**
 * Tells the coordinator that ranges were done, after their commits and not inside: NOTIFY holds a lock of the whole
 * server through the COMMIT of its transaction, so commits that notify go one after the other. However many commits end
 * while one announcement is on its way, one more follows it.
 *
 * An announcement that is lost costs nothing but the wait for the coordinator's timer, so errors are only told.
 */
export class CompletionAnnouncer {
  readonly #pool: pg.Pool
  readonly #onTrouble: (error: unknown) => void
  #isMore = false
  #sending: Promise<void> | undefined

  constructor(pool: pg.Pool, onTrouble: (error: unknown) => void) {
    this.#pool = pool
    this.#onTrouble = onTrouble
  }

  announce(): void {
    this.#isMore = true
    this.#sending ??= this.#send()
  }

  /** Resolves when all that was announced is sent. */
  async idle(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false
      try {
        await announceFarmWork(this.#pool)
      } catch (error) {
        this.#onTrouble(error)
      }
    }
    this.#sending = undefined
  }
}
