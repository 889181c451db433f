import type { GoldQuestion } from '../gold/gold-question.ts'
import type { ProviderTurn } from '../provider/provider-turn.ts'

/** What has to come of a question. */
export type Outcome =
  /** An answer that is right in both databases. */
  | 'right'
  /** An answer that is wrong, and is found to be. */
  | 'wrong'
  /** An answer that is right in the known database alone. */
  | 'by-accident'
  /** A statement that is not run, or none; with the code of the failure. */
  | `failed: ${string}`

/** A way for a model to behave. */
export interface Scenario {
  /** Also the name of the model, by which the provider knows what to do. */
  readonly name: string
  readonly about: string
  /** Turns for a question in their order; the last one is repeated. */
  readonly turns: (gold: GoldQuestion) => readonly [ProviderTurn, ...ProviderTurn[]]
  readonly expected: Outcome
  /** Of how many questions of each target it is tried; all without it. */
  readonly questions?: number
  /** Ids of the questions that it is about; without, it is about any. */
  readonly only?: readonly string[]
  /** A reply never comes, so that there is no need to wait long. */
  readonly isSilent?: true
}

/** Scenarios that show the same of the service. */
export interface ScenarioGroup {
  /** What the service has to do, for the report. */
  readonly title: string
  readonly scenarios: readonly Scenario[]
}

/** Often enough for what depends on the behaviour and not on the question. */
export const few = 3

/** A statement as models are told to write it. */
export function fenced(sql: string): ProviderTurn {
  return { text: `\`\`\`sql\n${sql}\n\`\`\`` }
}

/** The known statement. */
export function known({ accepted: [sql] }: GoldQuestion): ProviderTurn {
  return fenced(sql)
}
