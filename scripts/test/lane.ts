/**
 * A lane of the tests, started by `run-lanes.ts`: runs files one after the other, as the parent process names them.
 * They share what the tests of one process share, such as the database server; that ends with the lane.
 *
 * The parent sends a `LaneOrder` for a file, waits for its `LaneResult` and sends the next; at the end it sends one
 * without a file, and is sent a `LaneResult` of what the files shared.
 */
import { resolve } from 'node:path'
import Mocha from 'mocha'
import settings from '../../.mocharc.json' with { type: 'json' }
import { endOfFile, failIfOpen, isLaneOrder } from './messages.ts'
import type { LaneResult } from './messages.ts'
import { endProcesses } from './process-tree.ts'

interface RequiredFile {
  readonly mochaHooks?: { readonly afterAll?: () => Promise<void> }
}

/** Mocha's own listing, which at the end of a file tells no more than what failed. */
class LaneReporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    if (this.failures.length > 0) Mocha.reporters.Base.list(this.failures)
  }
}

/** How long what the tests share may take to end, ms. */
const timeToEndShared = 300_000

const required = await Promise.all(settings.require.map(async (name) => import(resolve(name)) as Promise<RequiredFile>))

// The parent was killed and cannot end this process any more.
process.on('disconnect', onLostParent)
process.on('message', (message) => {
  if (!isLaneOrder(message)) return
  void (message.file === undefined ? end() : runFile(message.file))
})

async function runFile(file: string): Promise<void> {
  const from = performance.now()
  const mocha = new Mocha({
    timeout: settings.timeout,
    forbidOnly: settings['forbid-only'],
    reporter: LaneReporter,
    color: process.argv.includes('--color'),
  })
  mocha.addFile(file)
  try {
    await mocha.loadFilesAsync()
  } catch (error) {
    console.log(error)
    return tell({ counts: failed(file), failures: ['the file cannot be loaded'], ms: performance.now() - from })
  }
  const failures: Mocha.Runnable[] = []
  const runner = await new Promise<Mocha.Runner>((resolve) => {
    const running = mocha.run(() => resolve(running))
    running.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) => failures.push(test))
  })
  const { passes = 0, pending = 0 } = runner.stats ?? {}
  mocha.dispose()
  tell({
    counts: {
      passed: passes,
      failed: failures.length,
      skipped: pending,
      failedFiles: failures.length > 0 ? [file] : [],
      isOpen: false,
      isStopped: false,
    },
    failures: failures.map((test) => test.fullTitle()),
    ms: performance.now() - from,
  })
}

async function end(): Promise<void> {
  const from = performance.now()
  const failures: string[] = []
  const late = setTimeout(() => {
    console.error(
      `What the tests share has not ended after ${timeToEndShared / 60_000} minutes: a test kept a connection of it.`,
    )
    process.exit(1)
  }, timeToEndShared)
  try {
    for (const file of required) await file.mochaHooks?.afterAll?.()
  } catch (error) {
    console.log(error)
    failures.push('after all tests')
  }
  clearTimeout(late)
  const counts = { passed: 0, failed: failures.length, skipped: 0, failedFiles: [], isOpen: false, isStopped: false }
  tell({ counts, failures, ms: performance.now() - from })
  // A test may have set it for a command that it ran in this process.
  process.exitCode = 0
  process.removeAllListeners('message')
  process.off('disconnect', onLostParent)
  failIfOpen(() => process.exit(1))
}

function onLostParent(): void {
  void endProcesses(process.pid).finally(() => process.exit(1))
}

function failed(file: string): LaneResult['counts'] {
  return { passed: 0, failed: 1, skipped: 0, failedFiles: [file], isOpen: false, isStopped: false }
}

function tell(result: LaneResult): void {
  process.stdout.write(endOfFile)
  process.send?.(result)
}
