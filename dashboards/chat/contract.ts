import type { UIMessage } from 'ai'

/** What the chat says over HTTP, as far as the page reads it. Names of the settings are those of its JSON. */

export type ChatMode = 'fast' | 'balanced' | 'deep'

/** `GET /api/chat/settings`: open to all, so that the page knows what it may offer before anybody has shown a token. */
export interface ChatSettings {
  /** What may be chosen, with what answers, e.g. `anthropic/claude-haiku-4-5`. Empty where there is no model. */
  readonly modes: readonly { readonly mode: ChatMode; readonly model: string }[]
  readonly default_mode: ChatMode
  /** Whether the model only knows its example questions, as that of the demo. */
  readonly is_scripted: boolean
  /** What to set, where no model is. */
  readonly remedy: string | null
  /** Whether a question wants a bearer token. */
  readonly needs_token: boolean
  readonly examples: readonly string[]
  /** Where addresses and ids of an answer lead; nowhere without it. */
  readonly explorer_url: string | null
  /** Hosts that links of an answer may lead to. */
  readonly link_hosts: readonly string[]
  readonly tools: readonly string[]
  readonly most_message_characters: number
}

/** What goes with an answer when it has ended; one that has none broke off. */
export interface AnswerMetadata {
  readonly mode?: ChatMode
  readonly model?: string
  readonly isScripted?: boolean
  /** `steps`: all turns with tools were used up; `length`: the provider cut it off. */
  readonly end?: 'complete' | 'steps' | 'length' | 'refused'
  readonly steps?: number
  readonly usage?: {
    readonly inputTokens: number | null
    readonly outputTokens: number | null
    readonly reasoningTokens: number | null
    readonly totalTokens: number | null
  }
  readonly durationMs?: number
}

/** Something that an answer went on without. */
export interface Notice {
  readonly code: string
  readonly text: string
}

/** A question or an answer, as the AI SDK has it. */
export type ChatMessage = UIMessage<AnswerMetadata, { notice: Notice }>
export type MessagePart = ChatMessage['parts'][number]
