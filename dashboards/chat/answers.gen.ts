/** The responses of the API. Made by `npm run docs`: do not edit. */

/** The response of each path that is read. */
export interface Answers {
  readonly '/health': { readonly status: string; readonly service: string }
  readonly '/api/chat/settings': ChatSettings
}

export interface ChatSettings {
  /** Empty if no model is configured. */
  readonly modes: readonly ({ readonly mode: ChatMode; readonly model: string })[]
  readonly default_mode: ChatMode
  /** Only the example questions have answers. */
  readonly is_scripted: boolean
  /** How to configure a model; null where one is configured. */
  readonly remedy: string | null
  /** Whether a question requires a bearer token. */
  readonly needs_token: boolean
  readonly examples: readonly string[]
  readonly explorer_url: string | null
  /** Hosts to which links in an answer may lead. */
  readonly link_hosts: readonly string[]
  readonly tools: readonly string[]
  readonly max_message_characters: number
}

export type ChatMode = 'fast' | 'balanced' | 'deep'

export interface AnswerMetadata {
  readonly mode?: ChatMode
  /** For example `anthropic/claude-sonnet-4-6`. */
  readonly model?: string
  readonly isScripted?: boolean
  /** `steps`: the model used all tool turns; `length`: the provider reached its token limit. */
  readonly end?: 'complete' | 'steps' | 'length' | 'refused'
  /** Tool turns, including the closing one. */
  readonly steps?: number
  readonly usage?: { readonly inputTokens: number | null; readonly outputTokens: number | null; readonly reasoningTokens: number | null; readonly totalTokens: number | null }
  readonly durationMs?: number
}

export interface Notice {
  readonly code: string
  readonly text: string
}
