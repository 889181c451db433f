/** What was found to be wrong in a run. */
export interface Breach {
  /** Seconds since the run began. */
  readonly at: number
  /** Which promise was not kept, e.g. `feed`. */
  readonly promise: string
  /** In words. */
  readonly text: string
}

/** The breaches of a run, from wherever they are noticed. */
export class Findings {
  readonly #startedAt = performance.now()
  readonly #breaches: Breach[] = []
  readonly #excused: Breach[] = []
  readonly #tell: (line: string) => void

  /** @param tell is told each breach when it is found */
  constructor(tell: (line: string) => void) {
    this.#tell = tell
  }

  get breaches(): readonly Breach[] {
    return this.#breaches
  }

  /** What would be breaches on a machine that has time. */
  get excused(): readonly Breach[] {
    return this.#excused
  }

  /** Seconds since the run began. */
  get seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 100) / 10
  }

  add(promise: string, text: string): void {
    this.#breaches.push({ at: this.seconds, promise, text })
    this.#tell(`BREACH (${promise}): ${text}`)
  }

  /** A promised time that was missed on a machine that had no time. */
  excuse(promise: string, text: string): void {
    this.#excused.push({ at: this.seconds, promise, text })
    this.#tell(`late, on a busy machine (${promise}): ${text}`)
  }
}
