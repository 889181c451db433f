import { spawn } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changedFiles, testsOfChange } from './test/changed-tests.ts'
import { isTestCounts, noTests } from './test/messages.ts'
import type { TestCounts } from './test/messages.ts'
import { runInLanes, saveDurations, slowestFirst } from './test/run-lanes.ts'
import { isCi, removeAbandonedFolders, runTestProcess } from './test/test-process.ts'

const suites = {
  all: {
    spec: ['test', 'src', 'jobs', 'dashboards', 'examples'].map((folder) => `${folder}/**/*.test.ts`),
    ignore: ['**/*.long.test.ts'],
  },
  unit: {
    spec: ['src', 'jobs', 'dashboards', 'examples'].map((folder) => `${folder}/**/*.test.ts`),
    ignore: ['**/*.db.test.ts', '**/*.long.test.ts'],
  },
  long: { spec: ['src/**/*.long.test.ts', 'jobs/**/*.long.test.ts', 'test/**/*.long.test.ts'], ignore: [] },
}

const lanesOption = '--lanes='
const saveOption = '--save-durations'
/** Tests also wait. */
const usualLanes = Math.min(Math.max(2, availableParallelism()), 4) + 1
/** Further processes do not pay below this. */
const minInLanes = 12
/** Above this number of failing files, none is run again. */
const maxSecondTries = 3

const help = `Runs the tests on PostgreSQL. The last line is "N passed, N failed".

Usage: npm test -- [options] [files or folders] [options of mocha]

  --unit             Only tests without a database, in seconds.
  --long             Only long simulations, *.long.test.ts.
  --changed[=<ref>]  Only tests affected by changes since a commit: those that import or name a changed file,
                     directly or indirectly. Default HEAD, with new files.
  --lanes=<number>   Parallel processes, each with a database server.
  --save-durations   Update the durations that order the files (slowest first).
  -g <words>         Only tests whose name contains this. Other mocha options, such as --bail, work too.
  --help             Show this text.

Examples:
  npm test                             Everything except long simulations.
  npm test -- src/flow                 The tests of a folder.
  npm test -- --changed=main           Tests affected by a branch.
  npm test -- test/farm -g 'takes over'

With CI set, up to three failing files run again alone; if they pass, they count as passed and are listed.

Exit codes: 0 tests ran and all passed; 1 otherwise.
`

if (process.argv.includes('--help')) {
  process.stdout.write(help)
  process.exit(0)
}
removeAbandonedFolders()
const counts = await runTests(process.argv.slice(2))
const hasNothingToRun = counts === noTests
if (counts.passed + counts.failed === 0) console.error(hasNothingToRun ? 'The changes affect no test.' : 'No test ran.')
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`)
process.exitCode = hasNothingToRun || (counts.passed > 0 && counts.failed === 0) ? 0 : 1

async function runTests(args: readonly string[]): Promise<TestCounts> {
  const first = await runOnce(args)
  const { failedFiles, isStopped } = first
  if (!isCi() || isStopped || failedFiles.length === 0 || failedFiles.length > maxSecondTries) return first
  for (const file of failedFiles) {
    console.error(`\nSecond try of ${relative(process.cwd(), file)}:`)
    const second = await runMocha([file])
    if (second.isStopped || second.failed > 0 || second.passed === 0) return first
  }
  const names = failedFiles.map((file) => relative(process.cwd(), file)).join(', ')
  console.error(`Flaky, passed at the second try: ${names}.`)
  return { ...first, passed: first.passed + first.failed - (first.isOpen ? 1 : 0), failed: 0 }
}

async function runOnce(args: readonly string[]): Promise<TestCounts> {
  const suite = args.includes('--unit') ? suites.unit : args.includes('--long') ? suites.long : suites.all
  const change = changedTests(args)
  if (change?.length === 0) return noTests
  const given = [...args.filter((arg) => !isOwnOption(arg)).map(testsBelow), ...(change ?? [])]
  const patterns = given.some((arg) => arg.endsWith('.ts')) ? [] : suite.spec
  const ignored = suite.ignore.flatMap((pattern) => ['--ignore', pattern])
  if (given.some((arg) => arg.startsWith('-'))) return runMocha([...ignored, ...given, ...patterns])
  const files = [...given, ...patterns]
    .flatMap((pattern) => globSync(pattern, { exclude: suite.ignore }).toSorted())
    .map((file) => resolve(file))
  const lanes = lanesOf(args) ?? (args.includes('--long') || files.length < minInLanes ? 1 : usualLanes)
  return lanes === 1
    ? runMocha([...ignored, ...given, ...patterns])
    : runInLanes(slowestFirst(files), lanes, args.includes(saveOption) ? saveDurations : undefined)
}

/** An interruption counts as one more failure. */
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
  console.error(end.isStopped ? 'The tests were stopped.' : 'The test process ended unexpectedly.')
  return { ...counts, failed: counts.failed + 1, isStopped: end.isStopped }
}

/** @throws RangeError */
function lanesOf(args: readonly string[]): number | undefined {
  const given = args.find((arg) => arg.startsWith(lanesOption))?.slice(lanesOption.length)
  if (given === undefined) return undefined
  if (!/^[1-9]\d?$/.test(given)) throw new RangeError(`${lanesOption}${given} must be a number from 1 to 99.`)
  return Number(given)
}

function isOwnOption(arg: string): boolean {
  return (
    arg === '--unit' ||
    arg === '--long' ||
    arg === saveOption ||
    arg.startsWith(lanesOption) ||
    /^--changed(=|$)/.test(arg)
  )
}

function changedTests(args: readonly string[]): readonly string[] | undefined {
  const option = args.find((arg) => /^--changed(=|$)/.test(arg))
  if (option === undefined) return undefined
  const changed = changedFiles(process.cwd(), option.split('=')[1] ?? 'HEAD')
  const left = args.includes('--unit') ? /\.(long|db)\.test\.ts$|^test\// : /\.long\.test\.ts$/
  const tests = testsOfChange(process.cwd(), changed).filter((file) => !left.test(file))
  console.error(`${changed.length} files changed, ${tests.length} test files depend on them.`)
  return tests
}

function testsBelow(arg: string): string {
  const isFolder = !arg.startsWith('-') && statSync(arg, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? `${arg.replace(/\/$/, '')}/**/*.test.ts` : arg
}
