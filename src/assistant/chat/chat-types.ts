import type { ToolSet, UIMessage, UIMessageChunk } from 'ai'
import type { Logger } from '../../platform/log.ts'
import type { ChatModel } from './models/chat-models.ts'

/** Why an answer ended. `steps`: the model used all tool turns and had to close; `length`: the provider cut it off. */
export type AnswerEnd = 'complete' | 'steps' | 'length' | 'refused'

/** Sent with an answer in its `finish` event (`messageMetadata`); the page shows it below the answer. */
export interface ChatMetadata {
  readonly mode?: ChatMode
  /** E.g. `anthropic/claude-sonnet-4-6`. */
  readonly model?: string
  readonly isScripted?: boolean
  readonly end?: AnswerEnd
  /** Tool turns, the closing one included. */
  readonly steps?: number
  readonly usage?: {
    readonly inputTokens: number | null
    readonly outputTokens: number | null
    readonly reasoningTokens: number | null
    readonly totalTokens: number | null
  }
  readonly durationMs?: number
}

/** Data parts of a stream. They do not go back to the model. */
export interface ChatDataParts extends Record<string, unknown> {
  /** Something that is missing from the turn: `data-notice`. */
  readonly notice: { readonly code: string; readonly text: string }
}

/** A message as the AI SDK's clients keep and send it. */
export type ChatMessage = UIMessage<ChatMetadata, { notice: ChatDataParts['notice'] }>

/** The cost of an answer: the smallest model, a middle one, or the largest with thinking. */
export const chatModes = ['fast', 'balanced', 'deep'] as const
export type ChatMode = (typeof chatModes)[number]

/** For requests without a valid mode. */
export const usualMode: ChatMode = 'balanced'

export function isChatMode(text: unknown): text is ChatMode {
  return typeof text === 'string' && (chatModes as readonly string[]).includes(text)
}

export type ChatChunk = UIMessageChunk<ChatMetadata, { notice: ChatDataParts['notice'] }>

/** One answer to give. */
export interface TurnRequest {
  /** The conversation, checked and repaired by `readChatRequest`; the last message is the user's. */
  readonly messages: readonly ChatMessage[]
  readonly mode: ChatMode
  readonly model: ChatModel
  readonly instructions: string
  readonly tools: ToolSet
  /** What is missing from the turn. */
  readonly notices: readonly ChatDataParts['notice'][]
  /**
   * Aborted when the client has disconnected: the model call and all tools end within a second. When it is aborted
   * with an ApiError, as on shutdown, the stream ends with its message in an `error` chunk.
   */
  readonly signal: AbortSignal
}

export interface TurnOptions {
  /** CHAT_TIMEOUT_S, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Logger
  readonly watch?: TurnWatch
}

/** Receives what metrics count of a turn, without content. */
export interface TurnWatch {
  /** Called at most once, ms from the start of the turn to the first text, thought or tool call. */
  begun(afterMs: number): void
  toolEnded(call: { readonly tool: string; readonly isError: boolean; readonly durationMs: number }): void
  /** Called exactly once, before the stream ends. */
  ended(outcome: TurnOutcome): void
}

export interface TurnOutcome {
  /**
   * `left`: the client disconnected; `timeout`: over CHAT_TIMEOUT_S; `failed`: the model or this service failed;
   * `stopped`: aborted with an ApiError.
   */
  readonly end: AnswerEnd | 'left' | 'timeout' | 'failed' | 'stopped'
  readonly metadata: ChatMetadata
}

/** Tool turns of an answer. The last one has no tools, so that there is always a closing text. */
export const maxSteps = 15
