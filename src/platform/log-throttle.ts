import type { Logger } from './log.ts'

/** Milliseconds between two lines of one cause. */
const defaultEveryMs = 60_000
/** Causes that are told apart; with more, the oldest begins anew. */
const maxCauses = 256

interface Cause {
  quietUntil: number
  suppressed: number
}

/** One line a cause and interval for failures that repeat, with the number of lines suppressed since the last. */
export class LogThrottle {
  readonly #everyMs: number
  readonly #causes = new Map<string, Cause>()

  /** @param everyMs the shortest time from one line of a cause to the next, in milliseconds */
  constructor(everyMs = defaultEveryMs) {
    this.#everyMs = everyMs
  }

  /** Lines suppressed since the one before; undefined: this one is suppressed too. */
  due(cause = '', now: number = performance.now()): number | undefined {
    const known = this.#causes.get(cause)
    if (known !== undefined && now < known.quietUntil) {
      known.suppressed++
      return undefined
    }
    this.#causes.delete(cause)
    if (this.#causes.size >= maxCauses) this.#causes.delete(this.#causes.keys().next().value ?? '')
    this.#causes.set(cause, { quietUntil: now + this.#everyMs, suppressed: 0 })
    return known?.suppressed ?? 0
  }

  /** Logs a failure: each at debug with its stack, and one line a cause and interval at `level` without. */
  log(
    log: Logger,
    level: 'warn' | 'error',
    details: { readonly err: Error; readonly [name: string]: unknown },
    message: string,
  ): void {
    const { err, ...rest } = details
    const suppressed = this.due(causeOf(`${message} ${err.message}`))
    if (suppressed === undefined) log.debug(details, message)
    else log[level]({ ...rest, reason: err.message, ...(suppressed > 0 ? { suppressed } : {}) }, message)
  }
}

const ids = /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|0x[\da-f]+|(?=[a-f]*\d)[\da-f]{8,}|[\da-f]{16,})\b|\d+/gi

/** Messages that differ in numbers, ids and addresses only have one cause. */
export function causeOf(message: string): string {
  return message.replaceAll(ids, '#')
}
