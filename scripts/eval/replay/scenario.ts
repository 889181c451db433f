import type { GoldQuestion } from '../gold/gold-question.ts'

/** What a provider does with one request. */
export type ReplayTurn =
  | { readonly kind: 'text'; readonly text: string }
  /** The reply ends in the middle because it is too long, and says so. */
  | { readonly kind: 'cut-off'; readonly text: string }
  /** A call of a tool that nobody offered, beside the text. */
  | { readonly kind: 'tool-call'; readonly text: string; readonly tool: string; readonly input: Readonly<Record<string, string>> }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The connection ends within the reply. */
  | { readonly kind: 'broken' }
  /** No reply until the caller has left. */
  | { readonly kind: 'silent' }

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

/** A turn that is a reply. */
export type ReplayReply = Extract<ReplayTurn, { readonly text: string }>

/** A way for a model to behave. */
export interface Scenario {
  /** Also the name of the model, by which the replaying provider knows what to do. */
  readonly name: string
  readonly about: string
  /** Turns for a question in their order; the last one is repeated. */
  readonly turns: (gold: GoldQuestion) => readonly [ReplayTurn, ...ReplayTurn[]]
  readonly expected: Outcome
  /** Of how many questions of each target it is tried; all without it. */
  readonly questions?: number
  /** Ids of the questions that it is about; without, it is about any. */
  readonly only?: readonly string[]
  /** A reply never comes, so that there is no need to wait long. */
  readonly isSilent?: true
}
