/** When a range that failed is tried again. */
export interface RetryPolicy {
  /** Runs of a height before it is flagged. */
  readonly maxRuns: number
  /** Longest pause after the first failed run, in milliseconds; doubles with each. The pause is from half of it up, at random. */
  readonly baseMs: number
  /** Longest pause, in milliseconds. */
  readonly capMs: number
  /** A range longer than one block is halved when this many runs of it have failed. */
  readonly halveAfterRuns: number
}

/** The first run and 20 retries; the retries of a block that always fails take some 55 minutes. */
export const defaultRetryPolicy: RetryPolicy = { maxRuns: 21, baseMs: 1000, capMs: 300_000, halveAfterRuns: 2 }
