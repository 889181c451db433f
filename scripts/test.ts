/**
 * Runs the tests: `npm test [-- [--unit | --long] [--lanes=N] [files or folders] [options of mocha]]`.
 *
 * Without a file: everything but `*.long.test.ts`. `--unit`: what needs no database, in seconds. `--long`: only the
 * long simulations, one after the other. Many files run in lanes, `--lanes=N` of them, each a process with a database server of
 * its own; with options of mocha all run in one process. The last line of the output is `N passed, N failed`, with `, N skipped`
 * where a test was skipped; the exit code is 0 only if tests ran and none failed.
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
import { passSignals } from './setup/run.mjs'
import { isCi } from './support/is-ci.ts'
import { runInLanes } from './test/run-lanes.ts'
import { isTestCounts, noTests } from './test/test-counts.ts'
import type { TestCounts } from './test/test-counts.ts'

/** Tests across rooms take longest: begun first, they leave the small ones to fill the lanes at the end. */
const suites = {
  all: { spec: ['test/**/*.test.ts', 'src/**/*.test.ts', 'jobs/**/*.test.ts', 'dashboards/**/*.test.ts'], ignore: ['**/*.long.test.ts'] },
  unit: { spec: ['src/**/*.test.ts', 'jobs/**/*.test.ts', 'dashboards/**/*.test.ts'], ignore: ['**/*.db.test.ts', '**/*.long.test.ts'] },
  long: { spec: ['src/**/*.long.test.ts', 'jobs/**/*.long.test.ts', 'test/**/*.long.test.ts'], ignore: [] },
}

const lanesOption = '--lanes='
/** A lane for each core keeps them busy: tests also wait, for others to notice that a wire went silent. More make those late that measure time. */
const usualLanes = Math.min(Math.max(2, availableParallelism()), 4)
/** Fewer files take less time than the start of further processes. */
const leastInLanes = 12
/** Files with failures, above which a second try would only take time: something is broken. */
const mostSecondTries = 3

const counts = await runTests(process.argv.slice(2))
if (counts.passed + counts.failed === 0) console.error('No test ran.')
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exitCode = counts.passed > 0 && counts.failed === 0 ? 0 : 1

async function runTests(args: readonly string[]): Promise<TestCounts> {
  const first = await runOnce(args)
  const { failedFiles } = first
  if (!isCi() || failedFiles.length === 0 || failedFiles.length > mostSecondTries) return first
  for (const file of failedFiles) {
    console.error(`\nA second try of ${relative(process.cwd(), file)}, by itself:`)
    const second = await runMocha([file])
    if (second.failed > 0 || second.passed === 0) return first
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
  const files = [...given, ...patterns].flatMap((pattern) => globSync(pattern, { exclude: suite.ignore }).toSorted()).map((file) => resolve(file))
  const lanes = lanesOf(args) ?? (args.includes('--long') || files.length < leastInLanes ? 1 : usualLanes)
  return lanes === 1 ? runMocha([...ignored, ...given, ...patterns]) : runInLanes(files, lanes)
}

/** Runs mocha to its end. A run that breaks off counts as one failure more, since it proved nothing. */
async function runMocha(args: readonly string[]): Promise<TestCounts> {
  let counts = noTests
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const plain = process.stdout.isTTY ? [] : ['--no-color']
  const child = spawn(process.execPath, [mocha, '--reporter', 'scripts/test/counting-reporter.ts', ...plain, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  child.on('message', (message) => {
    if (isTestCounts(message)) counts = message
  })
  const end = await passSignals(child)
  if (end.code === 0 || counts.failed > 0) return counts
  console.error(end.signal === null ? 'The tests did not end properly.' : `The tests were stopped by ${end.signal}.`)
  return { ...counts, failed: 1 }
}

/** @throws RangeError */
function lanesOf(args: readonly string[]): number | undefined {
  const given = args.find((arg) => arg.startsWith(lanesOption))?.slice(lanesOption.length)
  if (given === undefined) return undefined
  if (!/^[1-9]\d?$/.test(given)) throw new RangeError(`${lanesOption}${given}: say how many lanes, from 1 to 99.`)
  return Number(given)
}

function isOwnOption(arg: string): boolean {
  return arg === '--unit' || arg === '--long' || arg.startsWith(lanesOption)
}

/** A folder stands for the tests in it; anything else is left as it is. */
function testsBelow(arg: string): string {
  const isFolder = !arg.startsWith('-') && statSync(arg, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? `${arg.replace(/\/$/, '')}/**/*.test.ts` : arg
}
