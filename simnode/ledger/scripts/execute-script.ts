import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWord, scriptTokens } from '../../../src/flow/code/script-tokens.ts'
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

const folders: Readonly<Record<string, Readonly<Record<string, ScriptAnswer>>>> = {
  'jobs/enrichment/cadence': { ...tokenAnswers, ...itemAnswers, ...stakingAnswers },
  'src/explorer/chain/scripts': accountAnswers,
  'src/assistant/tools/scripts': exampleAnswers,
}

const repository = join(import.meta.dirname, '../../..')

let known: ReadonlyMap<string, ScriptAnswer> | undefined
let knownByWords: ReadonlyMap<string, ScriptAnswer> | undefined

/**
 * No Cadence runs: the program's scripts and the samples are recognised by their text.
 *
 * @param args one JSON-CDC value each
 *
 * @throws Refusal UNIMPLEMENTED for any other script; INVALID_ARGUMENT as of a failing script
 */
export function executeScript(state: ScriptState, source: Buffer, args: readonly Buffer[]): Buffer {
  const answer = answerOf(source.toString('utf8'))
  if (answer === undefined) throw new Refusal('UNIMPLEMENTED', refusal)
  // Source: onflow/flow-go `fvm/script.go`.
  const location = hash('sha3-256', source, 'hex')
  return encodeJson(
    answer.answer(state, new ScriptArguments(args, answer.arguments), (name) => `s.${location}.${name}`),
  )
}

const refusal =
  'simulated nodes run no Cadence: only the scripts of flowfarm, recognised by their text, ' +
  `and the samples: ${sampleScripts.map(({ title }) => title).join('; ')}`

/** By text first, by tokens if the text is unknown. */
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

/** Makes `import Name from 0x…` equal to `import "Name"`. */
function withoutAddresses(source: string): string {
  return source
    .replaceAll(/\bimport (\w+) from 0x[0-9a-f]{16}\b/g, 'import "$1"')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Strings are marked, to tell them from words. */
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
