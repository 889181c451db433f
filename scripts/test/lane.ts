/**
 * Runs test files one by one, with shared fixtures. The parent sends a `LaneOrder` and waits for
 * its `LaneResult`; an order without a file ends the lane.
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

class LaneReporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    if (this.failures.length > 0) Mocha.reporters.Base.list(this.failures)
  }
}

const timeToEndShared = 300_000

const required = await Promise.all(settings.require.map(async (name) => import(resolve(name)) as Promise<RequiredFile>))

// The parent was killed.
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
    return report({ counts: failed(file), failures: ['the file cannot be loaded'], ms: performance.now() - from })
  }
  const failures: Mocha.Runnable[] = []
  const runner = await new Promise<Mocha.Runner>((resolve) => {
    const running = mocha.run(() => resolve(running))
    running.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test) => failures.push(test))
  })
  const { passes = 0, pending = 0 } = runner.stats ?? {}
  mocha.dispose()
  report({
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
      `Shared fixtures did not stop within ${timeToEndShared / 60_000} minutes: a test left a connection open.`,
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
  report({ counts, failures, ms: performance.now() - from })
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

function report(result: LaneResult): void {
  process.stdout.write(endOfFile)
  process.send?.(result)
}
