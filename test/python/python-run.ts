import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment } from '../support/bare-environment.ts'
import { repositoryRoot } from '../support/repository.ts'

/** The client's folder, with its tests beside its source. */
export const clientFolder = join(repositoryRoot, 'clients/python')

const run = promisify(execFile)

export interface PythonOptions {
  readonly python?: string
  readonly cwd?: string
  readonly variables?: Readonly<Record<string, string>>
}

/**
 * Runs a Python program. Its environment has only PATH unless `variables` adds more.
 *
 * @returns its stdout and stderr (unittest reports on stderr)
 *
 * @throws with its output on an exit code other than 0
 */
export async function runPython(
  args: readonly string[],
  { python = 'python3', cwd = clientFolder, variables = {} }: PythonOptions = {},
): Promise<string> {
  const { stdout, stderr } = await run(python, [...args], { cwd, env: { ...bareEnvironment(), ...variables } })
  return stdout + stderr
}

/** Whether the program exits with 0. False if Python is missing or too old. */
export async function works(args: readonly string[], options: PythonOptions = {}): Promise<boolean> {
  try {
    await runPython(args, options)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

/** Python 3.9 or newer. */
export async function hasPython(): Promise<boolean> {
  return works(['-c', 'import sys; assert sys.version_info >= (3, 9)'])
}

/** Arguments to run a file of the client's own tests; warnings are errors. */
export function testArguments(file: string): string[] {
  return ['-B', '-W', 'error', '-m', 'unittest', join('tests', file)]
}
