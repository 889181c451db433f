import { execFile } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, isAbsolute, resolve } from 'node:path'
import { promisify } from 'node:util'
import { asError, FatalError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { LanguageServerProgram } from './language-server-program.ts'
import { oldProgram, parserProgram } from './program/built-in-programs.ts'
import { tryProgram } from './program/try-program.ts'

interface FindLanguageServerOptions {
  /** EDITOR_LANGUAGE_SERVER. */
  readonly choice: 'auto' | 'cli' | 'parser' | 'pre-1.0'
  /** CHAIN_CLI_COMMAND: a name to be found on PATH, or a path. */
  readonly command: string
  readonly log: Logger
  /** How long a program may take to answer `initialize`. Default 20,000 ms. */
  readonly startMs?: number
}

/**
 * The language server for a setting. One of the CLI is started once, to see whether it answers.
 * @throws FatalError where `cli` or `pre-1.0` is asked for and is not there
 */
export async function findLanguageServer({
  choice,
  command,
  log,
  startMs = 20_000,
}: FindLanguageServerOptions): Promise<LanguageServerProgram> {
  if (choice === 'pre-1.0') return installedOldProgram()
  if (choice === 'parser') return parserProgram()
  try {
    const program = cliProgram(await locateProgram(command))
    const name = await tryProgram(program, startMs)
    const found = { ...program, label: name ?? program.label }
    log.info({ languageServer: found.label, command }, 'Cadence is checked by the language server of the CLI')
    return found
  } catch (thrown) {
    const error = asError(thrown)
    const why = `the language server of the CLI cannot be used: ${command} cadence language-server ${error.message}`
    if (choice === 'cli') {
      const remedy = 'Set CHAIN_CLI_COMMAND to a `flow` program, or EDITOR_LANGUAGE_SERVER to parser.'
      throw new FatalError('no-language-server', `${why}. ${remedy}`, { cause: error })
    }
    const fallback = parserProgram()
    const remedy =
      'The editor shows faults of syntax alone, and knows no types: install the Flow CLI, or name it by CHAIN_CLI_COMMAND'
    // No fault: nobody asked for a CLI, and the page says what checks.
    log.info({ languageServer: fallback.label, command }, `${why}. ${remedy}`)
    return fallback
  }
}

/** The language server of a `flow`-style program. Its client is off: imports are files of the workspace. */
function cliProgram(command: string): LanguageServerProgram {
  return {
    kind: 'cli',
    label: `Cadence, by ${basename(command)}`,
    command,
    args: ['cadence', 'language-server', '--enable-flow-client=false'],
    // Crash reports would carry people's code to whoever made the server.
    initializationOptions: { accessCheckMode: 'strict', reportCrashes: false },
  }
}

/** @throws FatalError */
function installedOldProgram(): LanguageServerProgram {
  try {
    createRequire(import.meta.url).resolve('@onflow/cadence-language-server')
    return oldProgram()
  } catch (error) {
    const remedy = 'install the optional package @onflow/cadence-language-server, or set it to parser.'
    throw new FatalError(
      'no-language-server',
      `the checker of Cadence 0.42 is not installed, though EDITOR_LANGUAGE_SERVER is pre-1.0: ${remedy}`,
      { cause: error },
    )
  }
}

/**
 * The absolute path of a program, looked for as a shell would, on this process's own PATH: language servers are given another.
 * @param command a name, or a path
 * @throws Error that says what is wrong, such as "is not there: …"
 */
async function locateProgram(command: string): Promise<string> {
  const path = command.includes('/') ? resolve(command) : await onPath(command)
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (path === undefined || found === undefined)
    throw new Error(`is not there: no program ${command}${command.includes('/') ? '' : ' on PATH'}`)
  if (!found.isFile()) throw new Error(`cannot be run: ${path} is no file`)
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw new Error(`cannot be run: ${path} is not executable`, { cause: error })
  })
  return path
}

async function onPath(name: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name])
    const path = stdout.trim()
    // A word of the shell itself is none.
    return isAbsolute(path) ? path : undefined
  } catch (error) {
    // The shell says so by its exit code.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return undefined
    throw error
  }
}
