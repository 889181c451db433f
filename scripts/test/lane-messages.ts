import type { TestCounts } from './test-counts.ts'

/** What a lane is told: to run a file, or to end. */
export interface LaneOrder {
  /** The file's whole path; undefined to end. */
  readonly file: string | undefined
}

/** What a lane tells of a file when its tests have ended. */
export interface LaneResult {
  readonly counts: TestCounts
  /** Whole titles of what failed. */
  readonly failures: readonly string[]
  readonly ms: number
}

/** Ends what a lane prints of one file, on its standard output. */
export const endOfFile = '\0'

export function isLaneOrder(message: unknown): message is LaneOrder {
  return typeof message === 'object' && message !== null && !('counts' in message)
}

export function isLaneResult(message: unknown): message is LaneResult {
  return typeof message === 'object' && message !== null && 'counts' in message && 'failures' in message
}
