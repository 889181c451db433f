import type { Command } from './command.ts'
import type { OptionTable } from './options.ts'

/** Lines are broken here, so that they fit terminals of the usual widths. */
const width = 90

type Described = Omit<Command<OptionTable>, 'run'>

/** What `--help` prints. */
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
  const shown = Object.entries({ ...options, help: { placeholder: '', description: 'Print this.' } })
  const left = (option: string, placeholder: string): string => `--${option} ${placeholder}`.trimEnd()
  const column = Math.max(...shown.map(([option, { placeholder }]) => left(option, placeholder).length)) + 4
  const lines = [
    ...wrapped(summary, 0),
    '',
    `Usage: npm run ${name} --${verbs.length > 0 ? ` ${verbs.join('|')}` : ''}${operand === undefined ? '' : ` ${operand}`} [options]`,
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
    ...(usesDatabase
      ? ['', 'The database is the one of DB_URL, else the one that a flowfarm runs in DATA_FOLDER.']
      : []),
    '',
    'Examples:',
    ...examples.flatMap(([args, meaning]) => {
      return [`  npm run ${name}${args === '' ? '' : ` -- ${args}`}`, ...wrapped(meaning, 6)]
    }),
    '',
    'Exit codes:',
    ...entries(
      [
        ['0', exitCodes[0] ?? 'done'],
        ['1', exitCodes[1] ?? 'a person is needed, see the message'],
        ['75', exitCodes[75] ?? 'trying again may help'],
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

/** A text in indented lines of at most `width` characters. */
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
