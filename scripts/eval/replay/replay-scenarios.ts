import type { ModelSettings } from '../../../src/ask/models/model-settings.ts'
import { ProviderModel } from '../../../src/ask/models/provider-model.ts'
import { queryTargets } from '../../../src/ask/query-service.ts'
import { evaluate } from '../evaluate.ts'
import type { GoldQuestion } from '../gold/gold-question.ts'
import type { Evaluation } from '../open-evaluation.ts'
import type { ScenarioResult } from '../report.ts'
import { startReplayProvider } from './replay-provider.ts'
import type { ReplayRequest } from './replay-provider.ts'
import type { ReplayTurn, Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

/** How long a reply may take where none comes, ms; others are there in a few. */
const silenceMs = 1500
/** The first pause before a provider is asked again that names none, ms. */
const retryBaseMs = 10

/** Puts questions to the service in every way in which a model may behave, over the protocol of a provider. */
export async function replayScenarios(
  evaluation: Evaluation, questions: readonly GoldQuestion[], provider: ModelSettings['provider'],
): Promise<ScenarioResult[]> {
  await using server = await startReplayProvider((request) => turnOf(request, questions))
  const results: ScenarioResult[] = []
  for (const scenario of scenarios) {
    const own = questionsFor(scenario, questions)
    if (own.length === 0) continue
    const model = new ProviderModel({
      settings: { provider, name: scenario.name, apiKey: 'replayed', baseUrl: `${server.url}/v1` }, retryBaseMs,
      ...(scenario.isSilent === true ? { timeoutMs: silenceMs } : {}),
    })
    results.push({ scenario, results: await evaluate(evaluation.serviceWith(model), evaluation.judge, own) })
  }
  return results
}

function questionsFor({ only, questions: count = Number.POSITIVE_INFINITY }: Scenario, questions: readonly GoldQuestion[]): GoldQuestion[] {
  const about = questions.filter(({ id }) => only?.includes(id) ?? true)
  return queryTargets.flatMap((target) => about.filter((gold) => gold.target === target).slice(0, count))
}

/** The question is at the end of the first message, after whatever a person has approved. */
function turnOf({ model, question, turn }: ReplayRequest, questions: readonly GoldQuestion[]): ReplayTurn {
  const scenario = scenarios.find(({ name }) => name === model)
  const gold = questions.find((one) => question.endsWith(one.question))
  if (scenario === undefined || gold === undefined) return { kind: 'status', status: 404 }
  const turns = scenario.turns(gold)
  return turns[turn] ?? turns.at(-1) ?? turns[0]
}
