import { ProviderModel } from '../src/assistant/query/provider-model.ts'
import { readConfig } from '../src/config.ts'
import { exitCodes } from '../src/platform/errors.ts'
import { modelSettings } from '../src/platform/llm/settings.ts'
import type { ModelSettings } from '../src/platform/llm/settings.ts'
import { runCommand } from './cli/command.ts'
import { flag, someOf, wholeNumber } from './cli/options.ts'
import { count, many, print, printJson } from './cli/texts.ts'
import { openEvalDatabases } from './eval/databases/eval-databases.ts'
import { evaluate } from './eval/evaluate.ts'
import type { EvaluatedQuestion } from './eval/evaluate.ts'
import type { GoldQuestion } from './eval/gold/gold-question.ts'
import { goldQuestions } from './eval/gold/gold-questions.ts'
import { writeKnownAnswers } from './eval/gold/known-answers.ts'
import { openEvaluation } from './eval/open-evaluation.ts'
import type { Evaluation } from './eval/open-evaluation.ts'
import { replayReport, unexpectedIn } from './eval/replay/replay-report.ts'
import type { ProtocolRun } from './eval/replay/replay-report.ts'
import { replayScenarios } from './eval/replay/replay-scenarios.ts'
import { scenarioGroups } from './eval/replay/scenarios.ts'
import { modelReport, plainResult } from './eval/report.ts'

/** `npm run eval`: how good the answers to questions are, with a replayed provider or with a live model. */

const gold = goldQuestions('emulator')
const protocols = ['anthropic', 'openai', 'openai-compatible'] as const

await runCommand({
  name: 'eval',
  summary: 'Puts questions with known answers to the query service and reports which of its answers are right.',
  options: {
    replay: flag('Take the replayed provider, also when a model is set.'),
    only: someOf(
      '<ids>',
      gold.map(({ id }) => id),
      'Some questions, by their ids with commas between.',
    ),
    protocol: someOf(
      '<names>',
      protocols,
      'What the replayed provider speaks, of anthropic, openai and openai-compatible. Default: all of them.',
    ),
    min: wholeNumber('<percent>', 'Exit code 1 when a live model has less than this right. Default 0.'),
    'write-answers': flag('Write down what the accepted statements give as the known answers, and ask nothing.'),
    json: flag('Print the results as JSON.'),
  },
  notes: [
    'LLM_PROVIDER, LLM_API_KEY, LLM_MODEL and LLM_BASE_URL name the live model, as they do for the service. ' +
      'Without them a provider on this machine replays good, bad and ' +
      'unsafe replies, and the report says whether the service does right with each.',
    'Databases are made for the run from the simulated chain, in a minute or so, and go away with it; nothing else ' +
      'is touched.',
  ],
  examples: [
    ['', 'A replayed provider, or the live model that is set.'],
    ['--min 80', 'Fails when the model has less than 80 % right.'],
    ['--only fees-total', 'One question.'],
  ],
  usesDatabase: false,
  exitCodes: { 1: 'something came of a replayed reply that should not, or too few answers of the model are right' },
  run: async ({ options }) => {
    const questions = options.only.length === 0 ? gold : gold.filter(({ id }) => options.only.includes(id))
    const settings = options.replay ? undefined : liveSettings()
    const spoken =
      options.protocol.length === 0 ? protocols : protocols.filter((protocol) => options.protocol.includes(protocol))
    if (!options.json) print('Making the databases …')
    await using databases = await openEvalDatabases()
    await using evaluation = await openEvaluation(databases)
    if (options['write-answers']) return await writeAnswers(evaluation)
    return settings === undefined
      ? await replay(evaluation, questions, spoken, options.json)
      : await live(evaluation, questions, settings, options)
  },
})

/** The model that the variables name; undefined where none is set. */
function liveSettings(): ModelSettings | undefined {
  const found = modelSettings(readConfig())
  return found !== 'scripted' && 'settings' in found ? found.settings : undefined
}

async function replay(
  evaluation: Evaluation,
  questions: readonly GoldQuestion[],
  spoken: readonly ModelSettings['provider'][],
  asJson: boolean,
): Promise<number> {
  const runs: ProtocolRun[] = []
  for (const protocol of spoken) runs.push(await replayScenarios(evaluation, questions, protocol))
  const unexpected = runs.flatMap(({ results }) => results.flatMap(unexpectedIn)).length
  if (asJson) printJson(runs.map(plainRun))
  else {
    print(
      'What the service makes of a model that answers well, badly or not at all. The replies are made up, and come ' +
        'over the protocols of real providers.',
    )
    for (const line of replayReport(scenarioGroups, runs)) print(`${line}\n`)
    const asked = runs.flatMap(({ results }) => results.flatMap(({ results: own }) => own)).length
    print(
      unexpected === 0
        ? `\nAll ${count(asked)} questions came out as they have to.`
        : `\n${many(unexpected, 'question')} of ${count(asked)} came out as they should not: see FAIL above.`,
    )
    print('This says nothing of how well a model writes SQL: set LLM_API_KEY to put the questions to one.')
  }
  return unexpected === 0 ? exitCodes.success : exitCodes.operatorActionRequired
}

function plainRun({ protocol, results }: ProtocolRun): unknown {
  return {
    protocol,
    scenarios: results.map(({ scenario: { name, expected }, results: own }) => ({
      scenario: name,
      expected,
      results: own.map(plainResult),
    })),
  }
}

async function live(
  evaluation: Evaluation,
  questions: readonly GoldQuestion[],
  settings: ModelSettings,
  { min = 0, json }: { readonly min?: number | undefined; readonly json: boolean },
): Promise<number> {
  const results = await evaluate(evaluation.serviceWith(new ProviderModel({ settings })), evaluation.judge, questions)
  if (json) printJson(results.map(plainResult))
  else for (const line of modelReport(`${settings.provider}/${settings.name}`, results)) print(line)
  return rightPercent(results) < min ? exitCodes.operatorActionRequired : exitCodes.success
}

function rightPercent(results: readonly EvaluatedQuestion[]): number {
  return (100 * results.filter(({ outcome }) => outcome === 'right').length) / results.length
}

async function writeAnswers({ judge }: Evaluation): Promise<number> {
  const answers = await Promise.all(
    gold.map(async (question) => [question.id, (await judge.answers(question))[0]?.known.rows ?? []] as const),
  )
  await writeKnownAnswers(Object.fromEntries(answers))
  print(`Wrote down ${many(answers.length, 'answer')}.`)
  return exitCodes.success
}
