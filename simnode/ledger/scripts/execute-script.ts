import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWord, scriptTokens } from '../../../src/flow/script-tokens.ts'
import { Refusal } from '../../node/node-view.ts'
import {
  accountAnswers,
  exampleAnswers,
  itemAnswers,
  sampleAnswers,
  stakingAnswers,
  tokenAnswers,
} from './script-answers.ts'
import { encodeJson, ScriptArguments } from './script-values.ts'
import { sampleScripts } from './sample-scripts.ts'
import type { ScriptAnswer } from './script-answers.ts'
import type { ScriptState } from './script-state.ts'

/** The folders, from the repository's, in which the program keeps the scripts that it sends. */
const folders: Readonly<Record<string, Readonly<Record<string, ScriptAnswer>>>> = {
  'jobs/enrichment/cadence': { ...tokenAnswers, ...itemAnswers, ...stakingAnswers },
  'src/explorer/chain/scripts': accountAnswers,
  'src/assistant/mcp/scripts': exampleAnswers,
}

const repository = join(import.meta.dirname, '../../..')

let known: ReadonlyMap<string, ScriptAnswer> | undefined
let knownByWords: ReadonlyMap<string, ScriptAnswer> | undefined

/**
 * What a script gives at some state, in JSON-CDC. No Cadence is run: the scripts that this program itself sends, or shows as
 * examples, are known by their text, with the imports of any network and with any comments and white space.
 * @param args one JSON-CDC value each
 * @throws Refusal UNIMPLEMENTED for any other script; INVALID_ARGUMENT, as of a script that fails
 */
export function executeScript(state: ScriptState, source: Buffer, args: readonly Buffer[]): Buffer {
  const answer = answerOf(source.toString('utf8'))
  if (answer === undefined) throw new Refusal('UNIMPLEMENTED', refusal)
  // Types that a script declares are named after the script itself. Source: onflow/flow-go `fvm/script.go`.
  const location = hash('sha3-256', source, 'hex')
  return encodeJson(
    answer.answer(state, new ScriptArguments(args, answer.arguments), (name) => `s.${location}.${name}`),
  )
}

const refusal =
  'this is a simulated node, which runs no Cadence: it answers the scripts of its own program, which it knows by their text, ' +
  `and the samples: ${sampleScripts.map(({ title }) => title).join('; ')}`

/** The program's own come as they are, and often; the words of a script are looked at where its text is not known. */
function answerOf(source: string): ScriptAnswer | undefined {
  known ??= new Map(scripts().map(([code, answer]) => [withoutAddresses(code), answer]))
  const answer = known.get(withoutAddresses(source))
  if (answer !== undefined) return answer
  knownByWords ??= new Map(scripts().map(([code, one]) => [wordsOf(code), one]))
  return knownByWords.get(wordsOf(source))
}

function scripts(): readonly (readonly [code: string, answer: ScriptAnswer])[] {
  const kept = Object.entries(folders).flatMap(([folder, answers]) =>
    Object.entries(answers).map(
      ([name, answer]) => [readFileSync(join(repository, folder, `${name}.cdc`), 'utf8'), answer] as const,
    ),
  )
  return [...kept, ...sampleScripts.map(({ name, code }) => [code, sampleAnswers[name]] as const)]
}

/** `import Name from 0x…`, as a network runs it, and `import "Name"`, as it is kept, are the same here. */
function withoutAddresses(source: string): string {
  return source
    .replaceAll(/\bimport (\w+) from 0x[0-9a-f]{16}\b/g, 'import "$1"')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** A script without comments and white space, and without the addresses of its imports. Texts are told from words, so that a quote makes none of the other. */
function wordsOf(source: string): string {
  const words: unknown[] = []
  const tokens = scriptTokens(source)
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    const [before, from, place] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]]
    const isImported =
      token?.kind === 'word' &&
      isWord(before, 'import') &&
      isWord(from, 'from') &&
      /^0x[0-9a-f]{1,16}$/i.test(place?.text ?? '')
    words.push(token?.kind === 'text' || isImported ? [token?.text] : token?.text)
    if (isImported) at += 2
  }
  return JSON.stringify(words)
}
