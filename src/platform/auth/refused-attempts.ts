import type { Logger } from '../log.ts'

/** A refused admin request, without the presented credential. */
export interface RefusedAttempt {
  /** The requested operation. */
  readonly audit: string
  /** Error code of the response. */
  readonly refused: string
  readonly address: string
  readonly path: string
  readonly requestId: string
  /** `sub` of a JWT with a valid signature but without a permitted role. */
  readonly by?: string | undefined
}

export interface RefusedAttemptsOptions {
  readonly log: Logger
  /** Log lines per client and window. */
  readonly maxOfClient?: number
  /** Log lines per window. */
  readonly maxInAll?: number
  readonly windowMs?: number
  readonly clock?: () => number
}

/**
 * Logs refused admin requests, limited per client and in total per minute so that clients cannot
 * fill the log. The number of suppressed lines is logged with the first attempt after that minute.
 */
export class RefusedAttempts {
  readonly #options: Required<RefusedAttemptsOptions>
  /** Lines of this window by client. */
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

  /** @param client address or network of the client */
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
    log.warn(attempt, 'admin request refused')
  }

  #turn(): void {
    const { log, windowMs, clock } = this.#options
    const now = clock()
    if (now < this.#windowEnd) return
    if (this.#unwritten > 0) log.warn({ count: this.#unwritten }, 'log lines of refused admin requests suppressed')
    this.#windowEnd = now + windowMs
    this.#lines.clear()
    this.#written = 0
    this.#unwritten = 0
  }
}
