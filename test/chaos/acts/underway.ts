/** A time that was measured, and what it may be at most where that is promised. */
export interface Measure {
  readonly what: string
  readonly ms: number
  readonly limitMs?: number
}

/** An act that has begun. */
export interface Underway {
  /** What was done, in words. */
  readonly words: string
  /** Where it is promised: the longest time until work goes on, in ms. Held to when no other act comes into it. */
  readonly recoveryLimitMs?: number
  /** Ends it, where it lasts; work may not go on yet. */
  readonly end?: () => Promise<void>
  /** What came of it, once it has ended. */
  readonly measures?: () => Promise<readonly Measure[]>
}
