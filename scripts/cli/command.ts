import { styleText } from 'node:util'
import { asError, exitCodeOf, exitCodes, FlowfarmError } from '../../src/base/errors.ts'
import { helpText } from './help.ts'
import type { OptionTable, OptionValues } from './options.ts'
import { readArguments } from './read-arguments.ts'

/** A program for the command line: what it takes, what its help says, and what it does. */
export interface Command<Options extends OptionTable> {
  /** As in `npm run <name>`. */
  readonly name: string
  /** One sentence, for the head of the help. */
  readonly summary: string
  /** Words that may stand in front of the options; the first is taken as the action. */
  readonly actions?: Readonly<Record<string, string>>
  /** Form of one word that may follow the action, for the help. */
  readonly operand?: string
  readonly options: Options
  /** Further paragraphs of the help. */
  readonly notes?: readonly string[]
  /** Whether it works on flowfarm's database, which the help then names. Default true. */
  readonly usesDatabase?: boolean
  /** What to write, without `npm run <name> --`, and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  /** What its exit codes mean, where that is more than done, needs a person, may be tried again. */
  readonly exitCodes?: Partial<Record<0 | 1 | 75, string>>
  /** @returns the exit code */
  readonly run: (given: Given<Options>) => Promise<number>
}

export interface Given<Options extends OptionTable> {
  /** One of `actions`; empty where the command has none. */
  readonly action: string
  /** The word after the action, where the command takes one. */
  readonly operand: string | undefined
  readonly options: OptionValues<Options>
}

/**
 * Runs a command with the arguments of this process, and ends the process. Errors of our tree are told by their
 * message, which says what to do; of any other the stack is wanted. With `--json` an error is also an object on
 * standard output.
 */
export async function runCommand<Options extends OptionTable>(command: Command<Options>): Promise<never> {
  // Whoever reads only the beginning of the output (`| head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(exitCodes.done)
  })
  const args = process.argv.slice(2)
  let exitCode: number
  try {
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(helpText(command))
      exitCode = exitCodes.done
    } else {
      exitCode = await command.run(readArguments(command, args))
    }
  } catch (thrown) {
    tell(thrown, args.includes('--json'))
    exitCode = exitCodeOf(thrown)
  }
  // What is left over (a socket in a time-out) must not keep a program alive that is done.
  process.exit(exitCode)
}

function tell(thrown: unknown, asJson: boolean): void {
  const error = asError(thrown)
  const message = error instanceof FlowfarmError ? error.message : (error.stack ?? error.message)
  if (asJson) {
    const code = error instanceof FlowfarmError ? error.code : 'unexpected-error'
    process.stdout.write(`${JSON.stringify({ error: { code, message: error.message } })}\n`)
  }
  process.stderr.write(`${styleText('red', message, { stream: process.stderr })}\n`)
}
