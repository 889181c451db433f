/** How tests ended. */
export interface TestCounts {
  readonly passed: number
  /** Tests and hooks. */
  readonly failed: number
  readonly skipped: number
  /** The files of what failed. */
  readonly failedFiles: readonly string[]
  /** Whether something was left open, which counts as one failure more. */
  readonly isOpen: boolean
  /** Whether a signal stopped the run. */
  readonly isStopped: boolean
}

export const noTests: TestCounts = {
  passed: 0,
  failed: 0,
  skipped: 0,
  failedFiles: [],
  isOpen: false,
  isStopped: false,
}

/** Whether a message of another process is such counts. */
export function isTestCounts(message: unknown): message is TestCounts {
  return typeof message === 'object' && message !== null && 'passed' in message && 'failed' in message
}

export function addCounts(one: TestCounts, other: TestCounts): TestCounts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failedFiles: [...new Set([...one.failedFiles, ...other.failedFiles])],
    isOpen: one.isOpen || other.isOpen,
    isStopped: one.isStopped || other.isStopped,
  }
}

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

/** How long a process may take to end by itself after the last test, ms. */
const timeToEnd = 10_000

/**
 * Calls `fail` if this process is still there after a while: a test has left a connection, a timer or a child process
 * open, which the console then names.
 */
export function failIfOpen(fail: () => void): void {
  // Runs only if something else keeps the process alive, since its own timer does not.
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => !['TTYWrap', 'PipeWrap'].includes(name))
    console.error(`The tests have ended, but something is still open: ${[...new Set(open)].join(', ') || 'a pipe'}.`)
    fail()
  }, timeToEnd).unref()
}
