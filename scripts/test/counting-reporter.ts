import Mocha from 'mocha'
import { failIfOpen } from './messages.ts'
import type { TestCounts } from './messages.ts'

export class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const failedFiles = new Set<string>()
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, ({ file }) => {
      if (file !== undefined) failedFiles.add(file)
    })
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats
      const counts: TestCounts = {
        passed: passes,
        failed: failures,
        skipped: pending,
        failedFiles: [...failedFiles],
        isOpen: false,
        isStopped: false,
      }
      process.send?.(counts)
      // Mocha overwrites the exit code.
      failIfOpen(() =>
        process.send?.({ ...counts, failed: counts.failed + 1, isOpen: true } satisfies TestCounts, () =>
          process.exit(),
        ),
      )
    })
  }
}

export { CountingReporter as 'module.exports' }
