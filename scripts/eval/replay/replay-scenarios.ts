import { ProviderModel } from '../../../src/assistant/query/provider-model.ts'
import { queryTargets } from '../../../src/assistant/query/query-service.ts'
import type { ModelSettings } from '../../../src/platform/llm/settings.ts'
import { evaluate } from '../evaluate.ts'
import type { GoldQuestion } from '../gold/gold-question.ts'
import type { Evaluation } from '../open-evaluation.ts'
import { startFakeProvider } from '../provider/fake-provider.ts'
import type { ProviderCall, ProviderTurn } from '../provider/provider-turn.ts'
import type { ProtocolRun, ScenarioResult } from './replay-report.ts'
import type { Scenario } from './scenario.ts'
import { scenarioGroups } from './scenarios.ts'

const scenarios = scenarioGroups.flatMap((group) => group.scenarios)

/** How long a reply may take where none comes, ms; others are there in a few. */
const silenceMs = 1500
/** The first pause before a provider is asked again that names none, ms. */
const retryBaseMs = 10

/** Puts questions to the service in every way in which a model may behave, over the protocol of a kind of provider. */
export async function replayScenarios(
  evaluation: Evaluation,
  questions: readonly GoldQuestion[],
  protocol: ModelSettings['provider'],
): Promise<ProtocolRun> {
  await using server = await startFakeProvider((call) => turnOf(call, questions))
  const results: ScenarioResult[] = []
  for (const scenario of scenarios) {
    const own = questionsFor(scenario, questions)
    if (own.length === 0) continue
    const model = new ProviderModel({
      settings: { provider: protocol, name: scenario.name, apiKey: 'replayed', baseUrl: `${server.url}/v1` },
      retryBaseMs,
      ...(scenario.isSilent === true ? { timeoutMs: silenceMs } : {}),
    })
    results.push({ scenario, results: await evaluate(evaluation.serviceWith(model), evaluation.judge, own) })
  }
  return { protocol, results }
}

function questionsFor(
  { only, questions: count = Number.POSITIVE_INFINITY }: Scenario,
  questions: readonly GoldQuestion[],
): GoldQuestion[] {
  const about = questions.filter(({ id }) => only?.includes(id) ?? true)
  return queryTargets.flatMap((target) => about.filter((gold) => gold.target === target).slice(0, count))
}

/** The question is at the end of the first message, after whatever a person has approved. */
function turnOf({ model, question, turn }: ProviderCall, questions: readonly GoldQuestion[]): ProviderTurn {
  const scenario = scenarios.find(({ name }) => name === model)
  const gold = questions.find((one) => question.endsWith(one.question))
  if (scenario === undefined || gold === undefined)
    return { status: 404, message: `There is no model ${model} for this question` }
  const turns = scenario.turns(gold)
  return turns[turn] ?? turns.at(-1) ?? turns[0]
}
