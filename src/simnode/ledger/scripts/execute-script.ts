import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../node/refusal.ts'
import { accountAnswers } from './account-answers.ts'
import { encodeJson } from './cadence-json.ts'
import { exampleAnswers } from './example-answers.ts'
import { itemAnswers } from './item-answers.ts'
import { ScriptArguments } from './script-arguments.ts'
import type { ScriptAnswer } from './script-answer.ts'
import type { ScriptState } from './script-state.ts'
import { stakingAnswers } from './staking-answers.ts'
import { tokenAnswers } from './token-answers.ts'

/** The folders, from the repository's, in which the program keeps the scripts that it sends. */
const folders: Readonly<Record<string, Readonly<Record<string, ScriptAnswer>>>> = {
  'jobs/asking/cadence': { ...tokenAnswers, ...itemAnswers, ...stakingAnswers },
  'src/api/chain/scripts': accountAnswers,
  'src/mcp/resources/scripts': exampleAnswers,
}

const repository = join(import.meta.dirname, '../../../..')

let known: ReadonlyMap<string, ScriptAnswer> | undefined

/**
 * What a script gives at some state, in JSON-CDC. No Cadence is run: the scripts that this program itself sends, or shows as
 * examples, are known by their text, with the imports of any network and with any white space.
 * @param args one JSON-CDC value each
 * @throws Refusal UNIMPLEMENTED for any other script; INVALID_ARGUMENT, as of a script that fails
 */
export function executeScript(state: ScriptState, source: Buffer, args: readonly Buffer[]): Buffer {
  known ??= readScripts()
  const answer = known.get(withoutAddresses(source.toString('utf8')))
  if (answer === undefined) throw new Refusal('UNIMPLEMENTED', 'the simulated chain knows only the scripts of this program')
  // Types that a script declares are named after the script itself. Source: onflow/flow-go `fvm/script.go`.
  const location = hash('sha3-256', source, 'hex')
  return encodeJson(answer.answer(state, new ScriptArguments(args, answer.arguments), (name) => `s.${location}.${name}`))
}

function readScripts(): ReadonlyMap<string, ScriptAnswer> {
  return new Map(Object.entries(folders).flatMap(([folder, answers]) => Object.entries(answers).map(([name, answer]) =>
    [withoutAddresses(readFileSync(join(repository, folder, `${name}.cdc`), 'utf8')), answer] as const)))
}

/** `import Name from 0x…`, as a network runs it, and `import "Name"`, as it is kept, are the same here. */
function withoutAddresses(source: string): string {
  return source.replaceAll(/\bimport (\w+) from 0x[0-9a-f]{16}\b/g, 'import "$1"').replaceAll(/\s+/g, ' ').trim()
}
