interface Sample {
  /** Milliseconds on any clock that never goes back. */
  readonly at: number
  readonly covered: number
}

/** The pace is taken over this time, so that it is steady to look at and follows a change. */
const windowMs = 30_000

/** Below this it would say more about the moment of the sample than about the pace. */
const leastMs = 2000

/** The last samples of how much is covered, of each stage; what is older than the window is forgotten. */
export class PaceSamples {
  readonly #samples = new Map<string, Sample[]>()

  /** Once coverage shrinks (a rollback, a range that was reopened) the count begins anew. */
  add(stage: string, at: number, covered: number): void {
    const before = this.#samples.get(stage) ?? []
    const kept = before.filter((sample) => at - sample.at <= windowMs)
    const last = kept.at(-1)
    const hasShrunk = last !== undefined && last.covered > covered
    this.#samples.set(stage, hasShrunk ? [{ at, covered }] : [...kept, { at, covered }])
  }

  /** Heights per second; null while there are too few samples to tell. */
  rate(stage: string): number | null {
    const samples = this.#samples.get(stage) ?? []
    const [first] = samples
    const last = samples.at(-1)
    if (first === undefined || last === undefined || last.at - first.at < leastMs) return null
    return Math.round((100_000 * (last.covered - first.covered)) / (last.at - first.at)) / 100
  }
}

/**
 * Whole seconds until what is owed is done at a rate, but for the heights that are flagged, which wait for a person;
 * null while that cannot be told, and when nothing else is owed.
 */
export function etaSeconds(owed: number, flagged: number, rate: number | null): number | null {
  if (owed === 0) return 0
  const left = owed - flagged
  return left <= 0 || rate === null || rate <= 0 ? null : Math.ceil(left / rate)
}
