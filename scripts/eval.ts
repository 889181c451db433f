import { readConfig } from '../src/base/config.ts'
import { exitCodes, FatalError } from '../src/base/errors.ts'
import { modelSettings } from '../src/ask/models/model-settings.ts'
import type { ModelSettings } from '../src/ask/models/model-settings.ts'
import { ProviderModel } from '../src/ask/models/provider-model.ts'
import { runCommand } from './cli/command.ts'
import { flag, someOf, text, wholeNumber } from './cli/options.ts'
import { many, print, printJson } from './cli/texts.ts'
import { openEvalDatabases } from './eval/databases/eval-databases.ts'
import { evaluate } from './eval/evaluate.ts'
import type { EvaluatedQuestion } from './eval/evaluate.ts'
import { goldQuestions } from './eval/gold/gold-questions.ts'
import type { GoldQuestion } from './eval/gold/gold-question.ts'
import { writeKnownAnswers } from './eval/gold/known-answers.ts'
import { openEvaluation } from './eval/open-evaluation.ts'
import type { Evaluation } from './eval/open-evaluation.ts'
import { replayScenarios } from './eval/replay/replay-scenarios.ts'
import { modelReport, plainResult, scenarioReport, unexpectedIn } from './eval/report.ts'

/** `npm run eval`: how good the answers to questions are, with a replayed provider or with a live model. */

const gold = goldQuestions('emulator')

await runCommand({
  name: 'eval',
  summary: 'Puts questions with known answers to the query service and reports which of its answers are right.',
  options: {
    replay: flag('Take the replayed provider, also when a model is set.'),
    only: someOf('<ids>', gold.map(({ id }) => id), 'Some questions, by their ids with commas between.'),
    protocol: text('<name>', 'What the replayed provider speaks: anthropic (default), openai or openai-compatible.'),
    least: wholeNumber('<percent>', 'Exit code 1 when a live model has less than this right. Default 0.'),
    'write-answers': flag('Write down what the accepted statements give as the known answers, and ask nothing.'),
    json: flag('Print the results as JSON.'),
  },
  notes: [
    'LLM_PROVIDER, LLM_API_KEY, LLM_MODEL and LLM_BASE_URL name the live model, as they do for the service. Without them a provider on this machine replays good, bad and ' +
      'unsafe replies, and the report says whether the service does right with each.',
    'Databases are made for the run from the simulated chain, in a minute or so, and go away with it; nothing else is touched.',
  ],
  examples: [['', 'A replayed provider, or the live model that is set.'], ['--least 80', 'Fails when the model has less than 80 % right.'], ['--only fees-total', 'One question.']],
  usesDatabase: false,
  exitCodes: { 1: 'something came of a replayed reply that should not, or too few answers of the model are right' },
  run: async ({ options }) => {
    const questions = options.only.length === 0 ? gold : gold.filter(({ id }) => options.only.includes(id))
    const settings = options.replay ? undefined : liveSettings()
    const protocol = protocolOf(options.protocol)
    if (!options.json) print('Making the databases …')
    await using databases = await openEvalDatabases()
    await using evaluation = await openEvaluation(databases)
    if (options['write-answers']) return await writeAnswers(evaluation)
    return settings === undefined
      ? await replay(evaluation, questions, protocol, options.json)
      : await live(evaluation, questions, settings, options)
  },
})

/** The model that the variables name; undefined where none is set. */
function liveSettings(): ModelSettings | undefined {
  const found = modelSettings(readConfig())
  return found !== 'scripted' && 'settings' in found ? found.settings : undefined
}

function protocolOf(given = 'anthropic'): ModelSettings['provider'] {
  const known = (['anthropic', 'openai', 'openai-compatible'] as const).find((protocol) => protocol === given)
  if (known === undefined) throw new FatalError('bad-option', `--protocol must be anthropic, openai or openai-compatible, not "${given}".`)
  return known
}

async function replay(
  evaluation: Evaluation, questions: readonly GoldQuestion[], protocol: ModelSettings['provider'], asJson: boolean,
): Promise<number> {
  const replayed = await replayScenarios(evaluation, questions, protocol)
  const unexpected = replayed.flatMap(unexpectedIn).length
  if (asJson) printJson(replayed.map(({ scenario: { name, expected }, results }) => ({ scenario: name, expected, results: results.map(plainResult) })))
  else {
    for (const line of scenarioReport(replayed)) print(line)
    print(unexpected === 0 ? `\nAll as it has to be (${protocol}).` : `\n${many(unexpected, 'question')} came out as they should not.`)
    const plain = replayed.find(({ scenario }) => scenario.name === 'gold')
    if (plain !== undefined) for (const line of modelReport('The known statements', plain.results)) print(line)
    print('No model was asked: set LLM_API_KEY to see how many answers of one are right.')
  }
  return unexpected === 0 ? exitCodes.done : exitCodes.needsPerson
}

async function live(
  evaluation: Evaluation, questions: readonly GoldQuestion[], settings: ModelSettings,
  { least = 0, json }: { readonly least?: number | undefined; readonly json: boolean },
): Promise<number> {
  const results = await evaluate(evaluation.serviceWith(new ProviderModel({ settings })), evaluation.judge, questions)
  if (json) printJson(results.map(plainResult))
  else for (const line of modelReport(`${settings.provider}/${settings.name}`, results)) print(line)
  return rightPercent(results) < least ? exitCodes.needsPerson : exitCodes.done
}

function rightPercent(results: readonly EvaluatedQuestion[]): number {
  return (100 * results.filter(({ outcome }) => outcome === 'right').length) / results.length
}

async function writeAnswers({ judge }: Evaluation): Promise<number> {
  const answers = await Promise.all(gold.map(async (question) => [question.id, (await judge.answers(question))[0]?.known.rows ?? []] as const))
  await writeKnownAnswers(Object.fromEntries(answers))
  print(`Wrote down ${many(answers.length, 'answer')}.`)
  return exitCodes.done
}
