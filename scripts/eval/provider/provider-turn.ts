import type { IncomingHttpHeaders } from 'node:http'

/** A request for a reply, in what the protocols of the providers have in common. */
export interface ProviderCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly model: string
  /** The limit of the reply, in tokens; undefined where the request has none. */
  readonly maxTokens: number | undefined
  /** What the model is told beforehand, of all places where the protocol has room for it. */
  readonly instructions: string
  /** The conversation without the instructions. */
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  /** Names of the tools that the model is offered. */
  readonly tools: readonly string[]
  /** The first message of the conversation, which holds the question. */
  readonly question: string
  /** Requests with the same model and question before this one, those that failed included. */
  readonly turn: number
}

/** A reply of the model. */
export interface ProviderReply {
  readonly text: string
  /** The reply ends because it is as long as it may be, and says so. */
  readonly isCutOff?: boolean
  /** A call of a tool, beside the text. */
  readonly toolCall?: { readonly name: string; readonly input: Readonly<Record<string, string>> }
  /** How long the model takes for it, ms. Default: no time. */
  readonly afterMs?: number
}

/** A status that is an error, in the form of the protocol. */
export interface ProviderError {
  readonly status: number
  readonly message: string
  /** The header `Retry-After`. */
  readonly retryAfter?: string
}

/**
 * What a provider does with a call. `broken`: the connection ends within the reply. `silence`: no reply until the
 * caller has left.
 */
export type ProviderTurn = ProviderReply | ProviderError | 'broken' | 'silence'
