import { ProviderModel } from '../src/assistant/query/provider-model.ts'
import { readConfig } from '../src/config.ts'
import { exitCodes } from '../src/platform/errors.ts'
import { modelSettings } from '../src/platform/llm/settings.ts'
import type { ModelSettings } from '../src/platform/llm/settings.ts'
import { readFeedback } from '../src/assistant/chat/records/chat-feedback.ts'
import { runCommand } from './cli/command.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, wholeNumber } from './cli/options.ts'
import { count, pluralize, print, printJson } from './cli/texts.ts'
import { createChatModels } from '../src/assistant/chat/models/chat-models.ts'
import { evaluateChat, scriptedModel } from './eval/chat-cases.ts'
import type { ChatResult } from './eval/chat-cases.ts'
import { openEvalDatabases } from './eval/databases.ts'
import { evaluate, openEvaluation } from './eval/evaluate.ts'
import type { EvaluatedQuestion, Evaluation } from './eval/evaluate.ts'
import type { GoldQuestion } from './eval/gold-questions.ts'
import { goldQuestions, writeKnownAnswers } from './eval/gold-questions.ts'
import { chatReport, feedbackReport, replayReport, unexpectedIn, modelReport, plainResult } from './eval/report.ts'
import type { ProtocolRun } from './eval/report.ts'
import { replayScenarios, scenarioGroups } from './eval/scenarios.ts'

const gold = goldQuestions('emulator')
const protocols = ['anthropic', 'openai', 'openai-compatible'] as const

await runCommand({
  name: 'eval',
  summary: 'Asks the query service questions with known answers and reports which answers are right.',
  options: {
    replay: flag('Use the replayed provider although a model is set.'),
    only: someOf(
      '<ids>',
      gold.map(({ id }) => id),
      'Only these questions: ids, separated by commas.',
    ),
    protocol: someOf(
      '<names>',
      protocols,
      'Protocols of the replayed provider: anthropic, openai, openai-compatible. Default: all.',
    ),
    min: wholeNumber('<percent>', 'Exit code 1 if a live model has fewer right answers. Default: 0.'),
    'write-answers': flag('Write the rows of the accepted statements to known-answers.json, and exit.'),
    feedback: flag('Print the chat answers that users rated, newest first, and exit. Reads the database of DB_URL.'),
    json: flag('Print the results as JSON.'),
  },
  notes: [
    'LLM_PROVIDER, LLM_API_KEY, LLM_MODEL and LLM_BASE_URL select the live model. Without them, a local provider ' +
      'replays correct, wrong and unsafe replies, and the report shows how the service handles each.',
    'Creates temporary databases from the simulated chain (about a minute).',
  ],
  examples: [
    ['', 'The replayed provider, or the configured model.'],
    ['--min 80', 'Fails below 80 % right answers.'],
    ['--only fees-total', 'One question.'],
    ['--feedback --json', 'Rated chat answers, as cases for an evaluation.'],
  ],
  usesDatabase: false,
  exitCodes: { 1: 'an unexpected outcome of a replayed reply, or too few right answers of the model' },
  run: async ({ options }) => {
    if (options.feedback) return await printFeedback(options.json)
    const questions = options.only.length === 0 ? gold : gold.filter(({ id }) => options.only.includes(id))
    const settings = options.replay ? undefined : liveSettings()
    const spoken =
      options.protocol.length === 0 ? protocols : protocols.filter((protocol) => options.protocol.includes(protocol))
    if (!options.json) print('Creating databases…')
    await using databases = await openEvalDatabases()
    await using evaluation = await openEvaluation(databases)
    if (options['write-answers']) return await writeAnswers(evaluation)
    return settings === undefined
      ? await replay(evaluation, questions, spoken, options.json)
      : await live(evaluation, questions, settings, options)
  },
})

async function printFeedback(asJson: boolean): Promise<number> {
  const rated = await withDatabase(({ pool }) => readFeedback(pool))
  if (asJson) printJson(rated)
  else for (const line of feedbackReport(rated)) print(line)
  return exitCodes.success
}

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
  const chat = await chatResults(evaluation, questions, () => scriptedModel(gold))
  const isFailing = ({ problem }: ChatResult): boolean => problem !== undefined
  const unexpected = runs.flatMap(({ results }) => results.flatMap(unexpectedIn)).length + chat.filter(isFailing).length
  if (asJson) printJson({ runs: runs.map(plainRun), chat: chat.map(plainChat) })
  else {
    print('How the service handles correct, wrong and missing replies. Replies are scripted, over real protocols.')
    for (const line of replayReport(scenarioGroups, runs)) print(`${line}\n`)
    for (const line of chatReport('the scripted model', chat)) print(line)
    const questionCount = runs.flatMap(({ results }) => results.flatMap(({ results: own }) => own)).length + chat.length
    print(
      unexpected === 0
        ? `\nAll ${count(questionCount)} outcomes are as expected.`
        : `\n${pluralize(unexpected, 'unexpected outcome')} of ${count(questionCount)}: see FAIL above.`,
    )
    print('To measure how well a model writes SQL, set LLM_API_KEY.')
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
  const chat = await chatResults(evaluation, questions, () => createChatModels(readConfig()).of('balanced'))
  const name = `${settings.provider}/${settings.name}`
  if (json) printJson({ questions: results.map(plainResult), chat: chat.map(plainChat) })
  else for (const line of [...modelReport(name, results), ...chatReport(name, chat)]) print(line)
  return rightPercent(results) < min ? exitCodes.operatorActionRequired : exitCodes.success
}

/** None with `--only`, which names questions. */
async function chatResults(
  evaluation: Evaluation,
  questions: readonly GoldQuestion[],
  model: () => ReturnType<typeof scriptedModel>,
): Promise<ChatResult[]> {
  return questions.length === gold.length ? await evaluateChat(evaluation, gold, model()) : []
}

function plainChat({ chatCase: { id, kind, turns }, problem }: ChatResult): unknown {
  return { id, kind, turns, problem: problem ?? null }
}

function rightPercent(results: readonly EvaluatedQuestion[]): number {
  return (100 * results.filter(({ outcome }) => outcome === 'right').length) / results.length
}

async function writeAnswers({ judge }: Evaluation): Promise<number> {
  const answers = await Promise.all(
    gold.map(async (question) => [question.id, (await judge.answers(question))[0]?.known.rows ?? []] as const),
  )
  await writeKnownAnswers(Object.fromEntries(answers))
  print(`Wrote ${pluralize(answers.length, 'answer')}.`)
  return exitCodes.success
}
