import Mocha from 'mocha'

/** How a run of the tests ended; what the reporter sends to the process that started mocha. */
export interface TestCounts {
  readonly passed: number
  /** Tests and hooks. */
  readonly failed: number
  readonly skipped: number
  /** The files of what failed. */
  readonly failedFiles: readonly string[]
  /** Whether something was left open, which counts as one failure more. */
  readonly isOpen: boolean
}

export function isTestCounts(message: unknown): message is TestCounts {
  return typeof message === 'object' && message !== null && 'passed' in message && 'failed' in message
}

/** How long the process may take to end by itself after the last test, ms. */
const timeToEnd = 10_000

/**
 * Mocha's own listing, and the counts to the parent process. A test that leaves a connection, a timer or a child
 * process open keeps this process alive: it is named after a while, and the run fails.
 */
export class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const failedFiles = new Set<string>()
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, ({ file }) => {
      if (file !== undefined) failedFiles.add(file)
    })
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats
      const counts: TestCounts = { passed: passes, failed: failures, skipped: pending, failedFiles: [...failedFiles], isOpen: false }
      process.send?.(counts)
      setTimeout(() => failForOpenResources(counts), timeToEnd).unref()
    })
  }
}

/** Runs only if something else keeps the process alive, since its own timer does not. */
function failForOpenResources(counts: TestCounts): void {
  const open = process.getActiveResourcesInfo().filter((name) => !['TTYWrap', 'PipeWrap'].includes(name))
  console.error(`The tests have ended, but something is still open: ${[...new Set(open)].join(', ') || 'a pipe'}.`)
  // The exit code is no way to say so: mocha sets it to its own count of failures on the way out.
  process.send?.({ ...counts, failed: counts.failed + 1, isOpen: true } satisfies TestCounts, () => process.exit())
}

export { CountingReporter as 'module.exports' }
