import { z } from 'zod'
import type { Logger } from '../../platform/log.ts'
import { asError } from '../../platform/errors.ts'
import { locateProgram } from '../language-server/find-language-server.ts'
import { runInSandbox, sandboxLimits } from './sandbox.ts'
import type { SandboxLimits, SandboxResult } from './sandbox.ts'

export interface TestOutcome {
  readonly file: string
  readonly name: string
  readonly has_passed: boolean
  readonly error: string | null
}

export interface TestReport {
  readonly outcomes: readonly TestOutcome[]
  /** Why the outcome is missing, such as an error in a file. */
  readonly error: string | null
  /** Output of the program besides the outcomes. */
  readonly log: string
  readonly duration_ms: number
}

export type RunTests = (
  files: ReadonlyMap<string, string>,
  tests: readonly string[],
  signal?: AbortSignal,
) => Promise<TestReport>

export type TestProgram =
  | { readonly isOn: true; readonly run: RunTests }
  | { readonly isOn: false; readonly reason: string }

interface FindTestProgramOptions {
  readonly isOn: boolean
  /** A name on PATH, or a path. */
  readonly command: string
  readonly log: Logger
  readonly limits?: SandboxLimits
}

export async function findTestProgram({
  isOn,
  command,
  log,
  limits = sandboxLimits,
}: FindTestProgramOptions): Promise<TestProgram> {
  const reason = 'Tests need the Flow CLI on the server. Its operator can install it and set EDITOR_TESTS=true.'
  if (!isOn) return { isOn: false, reason }
  try {
    const program = await locateProgram(command)
    const { code, stderr } = await runInSandbox({ program, args: ['version'], files: new Map(), limits })
    if (code !== 0) throw new Error(`exited with ${code ?? 'a signal'}: ${stderr.trim().slice(0, maxReason)}`)
    return { isOn: true, run: (files, tests, signal) => runTests({ program, files, tests, limits, signal }) }
  } catch (thrown) {
    log.warn(
      { command },
      `Editor tests are off: ${command} version in a sandbox: ${asError(thrown).message}. Set CHAIN_CLI_COMMAND to ` +
        'the Flow CLI, and allow unprivileged user namespaces (unshare).',
    )
    return { isOn: false, reason }
  }
}

const maxReason = 500

interface RunTestsOptions {
  readonly program: string
  readonly files: ReadonlyMap<string, string>
  readonly tests: readonly string[]
  readonly limits: SandboxLimits
  readonly signal: AbortSignal | undefined
}

async function runTests({ program, files, tests, limits, signal }: RunTestsOptions): Promise<TestReport> {
  const result = await runInSandbox({
    program,
    args: ['test', '--output', 'json', '--skip-version-check', ...tests],
    files: files.has('flow.json') ? files : new Map(files).set('flow.json', flowConfig(files)),
    limits,
    ...(signal === undefined ? {} : { signal }),
  })
  return reportOf(result, limits)
}

/** Contracts of the project by name, at the addresses of the test framework. */
export function flowConfig(files: ReadonlyMap<string, string>): string {
  const contracts: Record<string, object> = {}
  for (const [path, code] of files) {
    const name = path.endsWith('_test.cdc') ? undefined : contractName.exec(code)?.[1]
    if (name !== undefined) contracts[name] = { source: path, aliases: { testing: testingAddress } }
  }
  return JSON.stringify({ contracts })
}

const contractName = /^\s*access\(all\)\s+contract\s+(?:interface\s+)?([A-Za-z_]\w*)/m
const testingAddress = '0000000000000007'

/** `flow test --output json` of the Flow CLI: `PASS` or `FAIL: <error>` by file and name. */
const outputSchema = z.record(z.string(), z.record(z.string(), z.string()))
/** Coverage, beside the files. */
const metaKey = 'meta'

export function reportOf(
  { end, code, stdout, stderr, ms }: SandboxResult,
  { runMs, outputBytes }: SandboxLimits,
): TestReport {
  const { json, rest } = splitOutput(stdout)
  const log = [rest, stderr]
    .map((text) => text.trim())
    .filter(Boolean)
    .join('\n')
  const report = { outcomes: [], error: null, log, duration_ms: ms }
  if (end === 'time') return { ...report, error: `The tests ran longer than ${runMs / 1000} s and were stopped.` }
  if (end === 'output')
    return { ...report, error: `The tests printed more than ${outputBytes} bytes and were stopped.` }
  if (json === undefined)
    return { ...report, error: `The Flow CLI returned no results (exit code ${code ?? 'none'}). See its output.` }
  const outcomes = Object.entries(json).flatMap(([file, tests]) =>
    file === metaKey
      ? []
      : Object.entries(tests).map(([name, status]) => ({
          file: file.replace(/^\.\//, ''),
          name,
          has_passed: status === 'PASS',
          error: status === 'PASS' ? null : status.replace(/^FAIL: /, ''),
        })),
  )
  return { ...report, outcomes, error: outcomes.length === 0 ? 'The files contain no tests (fun test…).' : null }
}

/** Logs may precede the result. */
function splitOutput(stdout: string): { json?: z.output<typeof outputSchema>; rest: string } {
  const starts = [...stdout.matchAll(/^\{/gm)].map(({ index }) => index).slice(-maxStarts)
  for (const start of starts) {
    const json = outputSchema.safeParse(parsed(stdout.slice(start)))
    if (json.success) return { json: json.data, rest: stdout.slice(0, start) }
  }
  return { rest: stdout }
}

const maxStarts = 10

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
