import { styleText, parseArgs } from 'node:util'
import { asError, exitCodeOf, exitCodes, FlowfarmError, FatalError } from '../../src/platform/errors.ts'
import type { OptionTable, OptionValues } from './options.ts'

interface Command<Options extends OptionTable> {
  /** As in `npm run`; a group's command names both: `farm -- status`. */
  readonly name: string
  readonly summary: string
  readonly actions?: Readonly<Record<string, string>>
  readonly operand?: string
  readonly options: Options
  readonly notes?: readonly string[]
  readonly usesDatabase?: boolean
  readonly examples: readonly (readonly [string, string])[]
  /** Where they differ from done, operator action required, temporary failure. */
  readonly exitCodes?: Partial<Record<0 | 1 | 75, string>>
  /** Imports lazily, so that `--help` is fast. @returns the exit code */
  readonly run: (given: CommandInput<Options>) => Promise<number>
}

export interface CommandInput<Options extends OptionTable> {
  readonly action: string
  readonly operand: string | undefined
  readonly options: OptionValues<Options>
}

export interface AnyCommand {
  readonly summary: string
  readonly help: () => string
  readonly start: (args: readonly string[]) => Promise<number>
}

export function command<Options extends OptionTable>(given: Command<Options>): AnyCommand {
  return {
    summary: given.summary,
    help: () => helpText(given),
    start: (args) => given.run(readArguments(given, args)),
  }
}

export function runCommand<Options extends OptionTable>(given: Command<Options>): Promise<never> {
  return runProcess(command(given), process.argv.slice(2))
}

export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly commands: Readonly<Record<string, AnyCommand>>
  readonly all?: AnyCommand
}

export function runCommandGroup({ name, summary, commands, all }: CommandGroup): Promise<never> {
  const [word = '', ...rest] = process.argv.slice(2)
  const chosen = commands[word]
  if (chosen !== undefined) return runProcess(chosen, rest)
  const names = Object.keys(commands)
  const column = Math.max(...names.map((each) => each.length)) + 4
  const list: AnyCommand = {
    summary,
    help: () =>
      [
        ...wrapped(summary, 0),
        '',
        `Usage: npm run ${name} -- <command> [options]`,
        '',
        ...entries(
          names.map((each) => [each, commands[each]?.summary ?? '']),
          column,
        ),
        '',
        ...(all === undefined ? [] : [...wrapped(`Without a command: ${all.summary}`, 0), '']),
        `npm run ${name} -- <command> --help shows the options of a command.`,
        '',
      ].join('\n'),
    start: (args) => {
      if (all !== undefined && (word === '' || word.startsWith('-'))) return all.start(args)
      const problem = word === '' ? 'Command missing' : `Unknown command "${word}"`
      const message = `${problem}: use one of ${names.join(', ')}. See npm run ${name} -- --help.`
      return Promise.reject(new FatalError('bad-argument', message))
    },
  }
  return runProcess(list, process.argv.slice(2))
}

/** With `--json` an error is also an object on standard output. */
async function runProcess({ help, start }: AnyCommand, args: readonly string[]): Promise<never> {
  // `| head` closes the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(exitCodes.success)
  })
  let exitCode: number
  try {
    if (args.includes('--help') || args.includes('-h')) {
      process.stdout.write(help())
      exitCode = exitCodes.success
    } else exitCode = await start(args)
  } catch (thrown) {
    report(thrown, args.includes('--json'))
    exitCode = exitCodeOf(thrown)
  }
  // A leftover socket must not keep the process alive.
  process.exit(exitCode)
}

function report(thrown: unknown, asJson: boolean): void {
  const error = asError(thrown)
  const message = error instanceof FlowfarmError ? error.message : (error.stack ?? error.message)
  if (asJson) {
    const code = error instanceof FlowfarmError ? error.code : 'unexpected-error'
    process.stdout.write(`${JSON.stringify({ error: { code, message: error.message } })}\n`)
  }
  process.stderr.write(`${styleText('red', message, { stream: process.stderr })}\n`)
}

/** @throws FatalError `bad-option`, `bad-argument` */
export function readArguments<Options extends OptionTable>(
  command: Pick<Command<Options>, 'name' | 'actions' | 'operand' | 'options'>,
  args: readonly string[],
): CommandInput<Options> {
  const { name: commandName, actions = {}, options } = command
  const known = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]))
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true, allowPositionals: true })
  const help = `See npm run ${commandName}${separator(commandName)}--help.`
  const words: string[] = []
  const given = new Map<string, string | true>()
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const option = options[token.name]
    if (option === undefined) throw unknownOption(token.rawName, Object.keys(options), help)
    const { name, value, inlineValue: isInline } = token
    if (given.has(name)) throw new FatalError('bad-option', `--${name} is given twice: give it once.`)
    if (option.type === 'boolean') {
      if (value !== undefined) throw new FatalError('bad-option', `--${name} takes no value: write --${name}.`)
      given.set(name, true)
    } else if (value === undefined || (!isInline && value.startsWith('-'))) {
      throw new FatalError('bad-option', `--${name} needs a value: --${name} ${option.placeholder}. ${help}`)
    } else given.set(name, value)
  }
  const operand = command.operand === undefined ? undefined : words.splice(command.actions === undefined ? 0 : 1, 1)[0]
  return { action: readAction(words, Object.keys(actions), help), operand, options: readOptions(options, given) }
}

function readOptions<Options extends OptionTable>(
  options: Options,
  given: ReadonlyMap<string, string | true>,
): OptionValues<Options> {
  const values = Object.entries(options).map(([name, option]) => [name, option.read(given.get(name), name)])
  return Object.fromEntries(values) as OptionValues<Options>
}

function readAction(words: readonly string[], actions: readonly string[], help: string): string {
  const [first, ...rest] = words
  const isKnown = first !== undefined && actions.includes(first)
  const surplus = isKnown ? rest[0] : first
  if (actions.length > 0 && first === undefined) {
    throw new FatalError('bad-argument', `Action missing: use one of ${actions.join(', ')}. ${help}`)
  }
  if (surplus !== undefined) {
    const remedy = actions.length > 0 && !isKnown ? `use one of ${actions.join(', ')}` : 'options start with --'
    throw new FatalError('bad-argument', `Unexpected argument "${surplus}": ${remedy}. ${help}`)
  }
  return first ?? ''
}

function unknownOption(raw: string, known: readonly string[], help: string): FatalError {
  const name = raw.replace(/^-+/, '')
  const [nearest] = known.map((one) => ({ one, steps: editDistance(name, one) })).toSorted((a, b) => a.steps - b.steps)
  const isNear = nearest !== undefined && nearest.steps <= Math.ceil(name.length / 3)
  const remedy = isNear ? `did you mean --${nearest.one}?` : `options are ${known.map((one) => `--${one}`).join(', ')}.`
  return new FatalError('bad-option', `Unknown option ${raw}: ${remedy} ${help}`)
}

export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (previous[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      row.push(Math.min(replaced, (previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}

/** npm takes options before `--` for itself. */
function separator(name: string): string {
  return name.includes(' -- ') ? ' ' : ' -- '
}

const width = 90

type Described = Omit<Command<OptionTable>, 'run'>

export function helpText(command: Described): string {
  const {
    name,
    summary,
    actions = {},
    operand,
    options,
    notes = [],
    examples,
    usesDatabase = true,
    exitCodes = {},
  } = command
  const verbs = Object.keys(actions)
  const shown = Object.entries({ ...options, help: { placeholder: '', description: 'Show this text.' } })
  const left = (option: string, placeholder: string): string => `--${option} ${placeholder}`.trimEnd()
  const column = Math.max(...shown.map(([option, { placeholder }]) => left(option, placeholder).length)) + 4
  const lines = [
    ...wrapped(summary, 0),
    '',
    ['Usage: npm run', `${name}${separator(name).trimEnd()}`, verbs.join('|'), operand ?? '', '[options]']
      .filter((part) => part !== '')
      .join(' '),
    '',
    ...entries(
      verbs.map((verb) => [verb, actions[verb] ?? '']),
      Math.max(...verbs.map((verb) => verb.length + 4), 0),
    ),
    ...(verbs.length > 0 ? [''] : []),
    'Options:',
    ...entries(
      shown.map(([option, { placeholder, description }]) => [left(option, placeholder), description]),
      column,
    ),
    ...notes.flatMap((note) => ['', ...wrapped(note, 0)]),
    ...(usesDatabase ? ['', 'Uses the database of DB_URL, or the one that flowfarm runs in DATA_FOLDER.'] : []),
    '',
    'Examples:',
    ...examples.flatMap(([args, meaning]) => {
      return [`  npm run ${name}${args === '' ? '' : `${separator(name)}${args}`}`, ...wrapped(meaning, 6)]
    }),
    '',
    'Exit codes:',
    ...entries(
      [
        ['0', exitCodes[0] ?? 'success'],
        ['1', exitCodes[1] ?? 'operator action required, see the message'],
        ['75', exitCodes[75] ?? 'temporary failure, try again'],
      ],
      6,
    ),
  ]
  return `${lines.join('\n')}\n`
}

function entries(pairs: readonly (readonly [string, string])[], column: number): string[] {
  return pairs.flatMap(([left, right]) => {
    const [first = '', ...more] = wrapped(right, column)
    return [`  ${left}`.padEnd(column) + first.slice(column), ...more]
  })
}

function wrapped(text: string, indent: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(' '.repeat(indent) + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, ' '.repeat(indent) + line]
}
