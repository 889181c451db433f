import type { IncomingHttpHeaders } from 'node:http'

/**
 * The ways of speaking: Messages of Anthropic, responses of OpenAI itself, chat completions of all that are like it.
 */
export type ProviderProtocol = 'messages' | 'completions' | 'responses'

/** A call that the model made before, as it is shown to it again. */
export interface SentToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface SentToolResult {
  readonly id: string
  /** As the model reads it. */
  readonly text: string
  /** Anthropic's mark of an error; the other protocols have none. */
  readonly isError: boolean
}

/** A message of the conversation, in what the protocols have in common. */
export interface SentMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** What the model thought, as it is shown to it again. */
  readonly reasoning: string
  readonly toolCalls: readonly SentToolCall[]
  readonly toolResults: readonly SentToolResult[]
}

export interface SentTool {
  readonly name: string
  readonly description: string
  /** JSON schema of its input; undefined for tools of the provider itself. */
  readonly schema: unknown
  /** Anthropic's kind of a tool that it runs itself, e.g. `web_search_20250305`. */
  readonly type: string | undefined
}

/** A request for a streamed reply. */
export interface StreamingCall {
  readonly protocol: ProviderProtocol
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As it was sent. */
  readonly body: Readonly<Record<string, unknown>>
  readonly model: string
  readonly maxTokens: number | undefined
  /** What the model is told beforehand, of all places where the protocol has room for it. */
  readonly instructions: string
  /** The conversation without the instructions. */
  readonly messages: readonly SentMessage[]
  readonly tools: readonly SentTool[]
  /** Text of the last message that a person wrote. */
  readonly question: string
  /** Tool turns since the question: 0 in the first call for it. */
  readonly step: number
  /** Calls before this one, refused ones not included. */
  readonly index: number
  /** Resolves when the caller leaves before the reply has its end. */
  readonly gone: Promise<void>
}

/**
 * A piece of a reply; a text alone is one delta of the answer.
 * - `reasoning`: one delta of what the model thinks; the completions have it as `reasoning_content`.
 * - `tool`: a call, its arguments in two deltas. `input` is what it is called with; `arguments` is its text as it is,
 *   for such that are no JSON.
 * - `search`: a search of the web by Anthropic, with what was found.
 * - `until`: nothing comes before that is settled. Before the first other piece, not even the status comes.
 * - `usage`: tokens that the reply tells, in place of 10 and 5.
 * - `end`: why the reply ends, where it is not `stop`, or `tools` after a call.
 * - `cut`: the connection ends here, without an end of the reply; `clean`: the response ends as if it were whole.
 * - `failure`: an error within the stream, in the form of the protocol.
 * - `raw`: bytes as they are.
 */
export type ReplyPiece =
  | string
  | { readonly reasoning: string }
  | { readonly tool: string; readonly id?: string; readonly input: unknown }
  | { readonly tool: string; readonly id?: string; readonly arguments: string }
  | { readonly search: string; readonly found: readonly { readonly url: string; readonly title: string }[] }
  | { readonly until: Promise<unknown> }
  | { readonly usage: { readonly input: number; readonly output: number; readonly reasoning?: number } }
  | { readonly end: 'stop' | 'length' | 'tools' | 'refusal' }
  | { readonly cut: true | 'clean' }
  | { readonly failure: string }
  | { readonly raw: string }

/** A status that is an error, in the form of the protocol. */
export interface ProviderStatus {
  readonly status: number
  readonly message: string
  /** The header `Retry-After`. */
  readonly retryAfter?: string
}

/** What a provider does with a call: a streamed reply, an error, or nothing until the caller has left. */
export type ProviderTurn = readonly ReplyPiece[] | ProviderStatus | 'silence'
