/** A detected fault. */
export interface Violation {
  /** Seconds since the start of the run. */
  readonly at: number
  /** The broken guarantee, e.g. `feed`. */
  readonly guarantee: string
  /** Description. */
  readonly text: string
}

/** Collects the violations of a run from all checks. */
export class Findings {
  readonly #startedAt = performance.now()
  readonly #violations: Violation[] = []
  readonly #excused: Violation[] = []
  readonly #report: (line: string) => void

  /** @param report receives each violation when it is found */
  constructor(report: (line: string) => void) {
    this.#report = report
  }

  get violations(): readonly Violation[] {
    return this.#violations
  }

  /** Violations that only count on a machine that is not overloaded. */
  get excused(): readonly Violation[] {
    return this.#excused
  }

  /** Seconds since the start of the run. */
  get seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 100) / 10
  }

  add(guarantee: string, text: string): void {
    this.#violations.push({ at: this.seconds, guarantee, text })
    this.#report(`VIOLATION (${guarantee}): ${text}`)
  }

  /** A missed time limit on an overloaded machine. */
  excuse(guarantee: string, text: string): void {
    this.#excused.push({ at: this.seconds, guarantee, text })
    this.#report(`late, on a busy machine (${guarantee}): ${text}`)
  }
}
