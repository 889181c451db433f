import type { Logger } from '../log.ts'

/** Somebody who was not let in. What was shown is no part of it. */
export interface RefusedAttempt {
  /** What was to be done: the operation. */
  readonly audit: string
  /** Code of the problem that was answered. */
  readonly refused: string
  readonly address: string
  readonly path: string
  readonly requestId: string
  /** Whose JWT it was, where its signature is good and only the role is not. */
  readonly by?: string | undefined
}

export interface RefusedAttemptsOptions {
  readonly log: Logger
  /** Lines for one client in a window. */
  readonly maxOfClient?: number
  /** Lines for all clients in a window. */
  readonly maxInAll?: number
  readonly windowMs?: number
  readonly clock?: () => number
}

/**
 * Writes down who was refused, in so few lines that nobody fills the log by it: the first ones of each client and
 * in all of each minute. How many more there were is told with the first attempt after that minute.
 */
export class RefusedAttempts {
  readonly #options: Required<RefusedAttemptsOptions>
  /** Lines of this window by client; no more clients than lines. */
  readonly #lines = new Map<string, number>()
  #written = 0
  #unwritten = 0
  #windowEnd = -Infinity

  constructor({
    log,
    maxOfClient = 3,
    maxInAll = 60,
    windowMs = 60_000,
    clock = () => performance.now(),
  }: RefusedAttemptsOptions) {
    this.#options = { log, maxOfClient, maxInAll, windowMs, clock }
  }

  /** @param client the address or network that counts as one client */
  note(client: string, attempt: RefusedAttempt): void {
    const { log, maxOfClient, maxInAll } = this.#options
    this.#turn()
    const lines = this.#lines.get(client) ?? 0
    if (lines >= maxOfClient || this.#written >= maxInAll) {
      this.#unwritten++
      return
    }
    this.#lines.set(client, lines + 1)
    this.#written++
    log.warn(attempt, 'an attempt to administrate was refused')
  }

  #turn(): void {
    const { log, windowMs, clock } = this.#options
    const now = clock()
    if (now < this.#windowEnd) return
    if (this.#unwritten > 0)
      log.warn({ count: this.#unwritten }, 'more attempts to administrate were refused than are written down')
    this.#windowEnd = now + windowMs
    this.#lines.clear()
    this.#written = 0
    this.#unwritten = 0
  }
}
