/**
 * Runs the tests: `npm test [-- [--unit | --long] [files or folders] [options of mocha]]`.
 *
 * Without a file: everything but `*.long.test.ts`. `--unit`: what needs no database, in seconds. `--long`: only the
 * long simulations. The last line of the output is `N passed, N failed`, with `, N skipped` where a test was skipped;
 * the exit code is 0 only if tests ran and none failed.
 *
 * With CI set, a few files with failures are run once more, each in a process of its own: tests that kill processes and
 * cut connections on a machine shared with strangers may fail for want of time. What passes then counts as passed and is
 * named; the failure stays in the output above.
 */
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { passSignals } from './setup/run.mjs'
import { isCi } from './support/is-ci.ts'
import { isTestCounts, type TestCounts } from './test/counting-reporter.ts'

const suites = {
  all: { spec: ['src/**/*.test.ts', 'jobs/**/*.test.ts', 'dashboards/**/*.test.ts', 'test/**/*.test.ts'], ignore: ['**/*.long.test.ts'] },
  unit: { spec: ['src/**/*.test.ts', 'jobs/**/*.test.ts', 'dashboards/**/*.test.ts'], ignore: ['**/*.db.test.ts', '**/*.long.test.ts'] },
  long: { spec: ['src/**/*.long.test.ts', 'jobs/**/*.long.test.ts', 'test/**/*.long.test.ts'], ignore: [] },
}

/** Files with failures, above which a second try would only take time: something is broken. */
const mostSecondTries = 3

const counts = await runTests(process.argv.slice(2))
if (counts.passed + counts.failed === 0) console.error('No test ran.')
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exitCode = counts.passed > 0 && counts.failed === 0 ? 0 : 1

async function runTests(args: readonly string[]): Promise<TestCounts> {
  const first = await runMocha(args)
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

/** Runs mocha to its end. A run that breaks off counts as one failure more, since it proved nothing. */
async function runMocha(args: readonly string[]): Promise<TestCounts> {
  let counts: TestCounts = { passed: 0, failed: 0, skipped: 0, failedFiles: [], isOpen: false }
  const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
  const child = spawn(process.execPath, [mocha, ...mochaArguments(args)], {
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

function mochaArguments(args: readonly string[]): string[] {
  const suite = args.includes('--unit') ? suites.unit : args.includes('--long') ? suites.long : suites.all
  const given = args.filter((arg) => arg !== '--unit' && arg !== '--long').map(testsBelow)
  const spec = given.some((arg) => arg.endsWith('.ts')) ? [] : suite.spec
  const ignore = suite.ignore.flatMap((pattern) => ['--ignore', pattern])
  const plain = process.stdout.isTTY ? [] : ['--no-color']
  return ['--reporter', 'scripts/test/counting-reporter.ts', ...plain, ...ignore, ...given, ...spec]
}

/** A folder stands for the tests in it; anything else is left as it is. */
function testsBelow(arg: string): string {
  const isFolder = !arg.startsWith('-') && statSync(arg, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? `${arg.replace(/\/$/, '')}/**/*.test.ts` : arg
}
