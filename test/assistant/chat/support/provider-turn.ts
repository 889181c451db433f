import type { IncomingHttpHeaders } from 'node:http'

/** Anthropic Messages, OpenAI Responses, and Chat Completions of compatible servers. */
export type ProviderProtocol = 'messages' | 'completions' | 'responses'

/** An earlier tool call, as sent back to the model. */
export interface SentToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface SentToolResult {
  readonly id: string
  /** As the model reads it. */
  readonly text: string
  /** Anthropic's error flag; other protocols have none. */
  readonly isError: boolean
}

/** A conversation message, independent of the protocol. */
export interface SentMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Reasoning that is sent back. */
  readonly reasoning: string
  readonly toolCalls: readonly SentToolCall[]
  readonly toolResults: readonly SentToolResult[]
}

export interface SentTool {
  readonly name: string
  readonly description: string
  /** JSON schema of the input; undefined for provider tools. */
  readonly schema: unknown
  /** Type of a provider tool, such as `web_search_20250305`. */
  readonly type: string | undefined
}

/** A streaming request. */
export interface StreamingCall {
  readonly protocol: ProviderProtocol
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Raw body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly model: string
  readonly maxTokens: number | undefined
  /** System instructions, from all places that the protocol allows. */
  readonly instructions: string
  /** The conversation without the instructions. */
  readonly messages: readonly SentMessage[]
  readonly tools: readonly SentTool[]
  /** Text of the last user message. */
  readonly question: string
  /** Tool turns since the question: 0 in the first call. */
  readonly step: number
  /** Earlier calls, without refused ones. */
  readonly index: number
  /** Resolves when the caller disconnects before the end of the reply. */
  readonly gone: Promise<void>
}

/**
 * A piece of a reply; a string is one delta of the answer.
 * - `reasoning`: one delta of the reasoning (`reasoning_content` in completions).
 * - `tool`: a call, with its arguments in two deltas: `input` as JSON, or `arguments` as raw text for invalid JSON.
 * - `search`: a web search of Anthropic or OpenAI with its results.
 * - `until`: delays the following pieces until it settles. Before the first other piece it delays the status too.
 * - `usage`: reported tokens; default 10 and 5.
 * - `end`: the finish reason; default `stop`, or `tools` after a call.
 * - `cut`: closes the connection before the end of the reply; `clean`: ends the response as if it were complete.
 * - `failure`: an error within the stream, in the form of the protocol.
 * - `raw`: raw bytes.
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

/** An error status, in the form of the protocol. */
export interface ProviderStatus {
  readonly status: number
  readonly message: string
  /** The `Retry-After` header. */
  readonly retryAfter?: string
}

/** A streamed reply, an error, or silence until the caller disconnects. */
export type ProviderTurn = readonly ReplyPiece[] | ProviderStatus | 'silence'
