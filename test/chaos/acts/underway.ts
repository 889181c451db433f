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
  /** Ends it, and tells what was measured; work may not go on yet. */
  readonly end: () => Promise<readonly Measure[]>
}

/** Of an act that ends by itself. */
export function done(words: string): Underway {
  return { words, end: () => Promise.resolve([]) }
}
