import type { Logger } from './log.ts'

/** ms */
const defaultEveryMs = 60_000
const maxCauses = 256

interface Cause {
  quietUntil: number
  suppressed: number
}

/** One log line per cause and interval, with the number of suppressed lines. */
export class LogThrottle {
  readonly #everyMs: number
  readonly #causes = new Map<string, Cause>()

  constructor(everyMs = defaultEveryMs) {
    this.#everyMs = everyMs
  }

  /** Number of suppressed lines; undefined if this line is suppressed too. */
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

  /** Each failure is logged at debug with its stack. */
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

/** Messages that differ only in numbers, ids and addresses have the same cause. */
export function causeOf(message: string): string {
  return message.replaceAll(ids, '#')
}
