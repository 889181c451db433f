/** When a range that failed is tried again. */
export interface RetryPolicy {
  /** Runs of a height before it is flagged. */
  readonly maxRuns: number
  /** Longest pause after the first failed run, in milliseconds; doubles with each. The pause is from half of it up, at random. */
  readonly baseMs: number
  /** Longest pause, in milliseconds. */
  readonly capMs: number
  /** A range longer than one block is halved when this many runs of it have failed, within the two limits below. */
  readonly halveAfterRuns: number
  /**
   * A worker with so many failing ranges of several blocks has none halved unless another of its ranges was done since:
   * the worker is broken, not the ranges. Below it the halves themselves show whether the worker works, also where it
   * has nothing else to do.
   */
  readonly maxFailingUnproven: number
  /** A worker with so many failing ranges has none halved. */
  readonly maxFailing: number
}

/** The first run and 20 retries; the retries of a block that always fails take some 55 minutes. */
export const defaultRetryPolicy: RetryPolicy = {
  maxRuns: 21,
  baseMs: 1000,
  capMs: 300_000,
  halveAfterRuns: 2,
  maxFailingUnproven: 8,
  maxFailing: 1000,
}
