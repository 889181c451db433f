/** A detected fault. */
export interface Violation {
  /** Seconds since the start of the run. */
  readonly at: number
  /** The broken guarantee, e.g. `feed`. */
  readonly promise: string
  /** Description. */
  readonly text: string
}

/** Collects the breaches of a run from all checks. */
export class Findings {
  readonly #startedAt = performance.now()
  readonly violations: Violation[] = []
  readonly #excused: Violation[] = []
  readonly #report: (line: string) => void

  /** @param tell receives each breach when it is found */
  constructor(tell: (line: string) => void) {
    this.#report = tell
  }

  get breaches(): readonly Violation[] {
    return this.violations
  }

  /** Breaches that only count on a machine that is not overloaded. */
  get excused(): readonly Violation[] {
    return this.#excused
  }

  /** Seconds since the start of the run. */
  get seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 100) / 10
  }

  add(promise: string, text: string): void {
    this.violations.push({ at: this.seconds, promise, text })
    this.#report(`BREACH (${promise}): ${text}`)
  }

  /** A missed time limit on an overloaded machine. */
  excuse(promise: string, text: string): void {
    this.#excused.push({ at: this.seconds, promise, text })
    this.#report(`late, on a busy machine (${promise}): ${text}`)
  }
}
