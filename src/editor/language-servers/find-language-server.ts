import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { asError, FatalError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import type { LanguageServerProgram } from './language-server-program.ts'
import { oldProgram, parserProgram } from './program/built-in-programs.ts'
import { locateProgram } from './program/locate-program.ts'
import { tryProgram } from './program/try-program.ts'

export interface FindLanguageServerOptions {
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
