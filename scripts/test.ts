/**
 * Runs the tests: `npm test [-- [--unit | --long] [--lanes=N] [--save-durations] [files or folders] [options of mocha]]`.
 *
 * Without a file: everything but `*.long.test.ts`. `--unit`: what needs no database, in seconds. `--long`: only the
 * long simulations, one after the other. Many files run in lanes, `--lanes=N` of them, each a process with a database server of
 * its own; slow files begin first (`--save-durations` measures them again). With options of mocha all run in one process. The last
 * line of the output is `N passed, N failed`, with `, N skipped` where a test was skipped; the exit code is 0 only if tests
 * ran and none failed.
 *
 * With CI set, a few files with failures are run once more, each in a process of its own: tests that kill processes and
 * cut connections on a machine shared with strangers may fail for want of time. What passes then counts as passed and is
 * named; the failure stays in the output above.
 */
import { spawn } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isCi } from './support/is-ci.ts'
import { saveDurations, slowestFirst } from './test/durations.ts'
import { runInLanes } from './test/run-lanes.ts'
import { isTestCounts, noTests } from './test/test-counts.ts'
import { removeAbandonedFolders, runTestProcess } from './test/test-process.ts'
import type { TestCounts } from './test/test-counts.ts'

const suites = {
  all: {
    spec: ['test/**/*.test.ts', 'src/**/*.test.ts', 'jobs/**/*.test.ts', 'dashboards/**/*.test.ts'],
    ignore: ['**/*.long.test.ts'],
  },
  unit: {
    spec: ['src/**/*.test.ts', 'jobs/**/*.test.ts', 'dashboards/**/*.test.ts'],
    ignore: ['**/*.db.test.ts', '**/*.long.test.ts'],
  },
  long: { spec: ['src/**/*.long.test.ts', 'jobs/**/*.long.test.ts', 'test/**/*.long.test.ts'], ignore: [] },
}

const lanesOption = '--lanes='
/** Writes `scripts/test/durations.json`, by which files are ordered. */
const saveOption = '--save-durations'
/** One more than cores keeps these busy, because tests also wait: for a lease to expire, or for a silent connection to be noticed. */
const usualLanes = Math.min(Math.max(2, availableParallelism()), 4) + 1
/** Fewer files take less time than the start of further processes. */
const leastInLanes = 12
/** Files with failures, above which a second try would only take time: something is broken. */
const mostSecondTries = 3

removeAbandonedFolders()
const counts = await runTests(process.argv.slice(2))
if (counts.passed + counts.failed === 0) console.error('No test ran.')
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exitCode = counts.passed > 0 && counts.failed === 0 ? 0 : 1

async function runTests(args: readonly string[]): Promise<TestCounts> {
  const first = await runOnce(args)
  const { failedFiles, isStopped } = first
  if (!isCi() || isStopped || failedFiles.length === 0 || failedFiles.length > mostSecondTries) return first
  for (const file of failedFiles) {
    console.error(`\nA second try of ${relative(process.cwd(), file)}, by itself:`)
    const second = await runMocha([file])
    if (second.isStopped || second.failed > 0 || second.passed === 0) return first
  }
  const names = failedFiles.map((file) => relative(process.cwd(), file)).join(', ')
  console.error(`Failed at first and passed at the second try, which is worth a look: ${names}.`)
  return { ...first, passed: first.passed + first.failed - (first.isOpen ? 1 : 0), failed: 0 }
}

async function runOnce(args: readonly string[]): Promise<TestCounts> {
  const suite = args.includes('--unit') ? suites.unit : args.includes('--long') ? suites.long : suites.all
  const given = args.filter((arg) => !isOwnOption(arg)).map(testsBelow)
  const patterns = given.some((arg) => arg.endsWith('.ts')) ? [] : suite.spec
  const ignored = suite.ignore.flatMap((pattern) => ['--ignore', pattern])
  if (given.some((arg) => arg.startsWith('-'))) return runMocha([...ignored, ...given, ...patterns])
  const files = [...given, ...patterns]
    .flatMap((pattern) => globSync(pattern, { exclude: suite.ignore }).toSorted())
    .map((file) => resolve(file))
  const lanes = lanesOf(args) ?? (args.includes('--long') || files.length < leastInLanes ? 1 : usualLanes)
  return lanes === 1
    ? runMocha([...ignored, ...given, ...patterns])
    : runInLanes(slowestFirst(files), lanes, args.includes(saveOption) ? saveDurations : undefined)
}

/** Runs mocha to its end. A run that breaks off counts as one failure more, since it proved nothing. */
async function runMocha(args: readonly string[]): Promise<TestCounts> {
  let counts = noTests
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const plain = process.stdout.isTTY ? [] : ['--no-color']
  const end = await runTestProcess((env) => {
    const child = spawn(
      process.execPath,
      [mocha, '--reporter', 'scripts/test/counting-reporter.ts', ...plain, ...args],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        detached: true,
        env,
      },
    )
    child.on('message', (message) => {
      if (isTestCounts(message)) counts = message
    })
    return child
  })
  if (!end.isStopped && (end.code === 0 || counts.failed > 0)) return counts
  console.error(end.isStopped ? 'The tests were stopped.' : 'The tests did not end properly.')
  return { ...counts, failed: counts.failed + 1, isStopped: end.isStopped }
}

/** @throws RangeError */
function lanesOf(args: readonly string[]): number | undefined {
  const given = args.find((arg) => arg.startsWith(lanesOption))?.slice(lanesOption.length)
  if (given === undefined) return undefined
  if (!/^[1-9]\d?$/.test(given)) throw new RangeError(`${lanesOption}${given}: say how many lanes, from 1 to 99.`)
  return Number(given)
}

function isOwnOption(arg: string): boolean {
  return arg === '--unit' || arg === '--long' || arg === saveOption || arg.startsWith(lanesOption)
}

/** A folder stands for the tests in it; anything else is left as it is. */
function testsBelow(arg: string): string {
  const isFolder = !arg.startsWith('-') && statSync(arg, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? `${arg.replace(/\/$/, '')}/**/*.test.ts` : arg
}
