import { parseArgs } from 'node:util'
import { FatalError } from '../../src/base/errors.ts'
import type { Command, Given } from './command.ts'
import type { OptionTable, OptionValues } from './options.ts'

/**
 * Reads the arguments of a command. Every complaint names the argument and says what to write instead.
 * @throws FatalError `bad-option`, `bad-argument`
 */
export function readArguments<Options extends OptionTable>(
  command: Pick<Command<Options>, 'name' | 'actions' | 'operand' | 'options'>,
  args: readonly string[],
): Given<Options> {
  const { name: commandName, actions = {}, options } = command
  const known = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]))
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true, allowPositionals: true })
  const help = `See npm run ${commandName} -- --help.`
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
  const operand = command.operand === undefined ? undefined : words.splice(1, 1)[0]
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
    throw new FatalError('bad-argument', `Which one: ${actions.join(', ')}? ${help}`)
  }
  if (surplus !== undefined) {
    const remedy = actions.length > 0 && !isKnown ? `it is one of ${actions.join(', ')}` : 'options begin with --'
    throw new FatalError('bad-argument', `"${surplus}" is not understood: ${remedy}. ${help}`)
  }
  return first ?? ''
}

function unknownOption(raw: string, known: readonly string[], help: string): FatalError {
  const name = raw.replace(/^-+/, '')
  const [nearest] = known.map((one) => ({ one, steps: editDistance(name, one) })).toSorted((a, b) => a.steps - b.steps)
  const isNear = nearest !== undefined && nearest.steps <= Math.ceil(name.length / 3)
  const remedy = isNear ? `did you mean --${nearest.one}?` : `there are ${known.map((one) => `--${one}`).join(', ')}.`
  return new FatalError('bad-option', `There is no option ${raw}: ${remedy} ${help}`)
}

/** Letters to insert, remove or replace until one word is the other. */
function editDistance(a: string, b: string): number {
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
