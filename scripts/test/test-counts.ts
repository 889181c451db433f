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
