import type { Logger } from '../log.ts'

export interface RefusedAttempt {
  readonly audit: string
  readonly refused: string
  readonly address: string
  readonly path: string
  readonly requestId: string
  /** `sub` of a JWT with a valid signature but without a permitted role. */
  readonly by?: string | undefined
}

const maxLinesPerClient = 3
const maxLines = 60
const windowMs = 60_000

/**
 * Logs refused admin requests, limited per client and in total per minute so that clients cannot
 * fill the log.
 */
export class RefusedAttempts {
  readonly #log: Logger
  readonly #clock: () => number
  readonly #lines = new Map<string, number>()
  #written = 0
  #unwritten = 0
  #windowEnd = -Infinity

  constructor({ log, clock = () => performance.now() }: { readonly log: Logger; readonly clock?: () => number }) {
    this.#log = log
    this.#clock = clock
  }

  note(client: string, attempt: RefusedAttempt): void {
    this.#startWindow()
    const lines = this.#lines.get(client) ?? 0
    if (lines >= maxLinesPerClient || this.#written >= maxLines) {
      this.#unwritten++
      return
    }
    this.#lines.set(client, lines + 1)
    this.#written++
    this.#log.warn(attempt, 'Admin request refused')
  }

  #startWindow(): void {
    const now = this.#clock()
    if (now < this.#windowEnd) return
    if (this.#unwritten > 0)
      this.#log.warn({ count: this.#unwritten }, 'Log lines of refused admin requests suppressed')
    this.#windowEnd = now + windowMs
    this.#lines.clear()
    this.#written = 0
    this.#unwritten = 0
  }
}
