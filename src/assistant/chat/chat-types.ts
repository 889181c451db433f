import type { ToolSet, UIMessage, UIMessageChunk } from 'ai'
import type { Logger } from '../../platform/log.ts'
import type { ChatModel } from './models/chat-models.ts'

/** Why an answer ended. `steps`: the model had used all its tools' turns and was made to close; `length`: the provider cut it off. */
export type AnswerEnd = 'complete' | 'steps' | 'length' | 'refused'

/** What goes with an answer, in its `finish` event (`messageMetadata`); the page shows it below the answer. */
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

/** Parts of our own in a stream. Both are transient or data for the page; neither goes back to the model. */
export interface ChatDataParts extends Record<string, unknown> {
  /** Something that the turn goes on without: `data-notice`. */
  readonly notice: { readonly code: string; readonly text: string }
}

/** A message as the AI SDK's clients keep and send it. */
export type ChatMessage = UIMessage<ChatMetadata, { notice: ChatDataParts['notice'] }>

/** How much an answer may cost: the smallest model, a middle one, or the largest, which thinks before it answers. */
export const chatModes = ['fast', 'balanced', 'deep'] as const
export type ChatMode = (typeof chatModes)[number]

/** For requests that name none, or one that there is not. */
export const usualMode: ChatMode = 'balanced'

export function isChatMode(text: unknown): text is ChatMode {
  return typeof text === 'string' && (chatModes as readonly string[]).includes(text)
}

export type ChatChunk = UIMessageChunk<ChatMetadata, { notice: ChatDataParts['notice'] }>

/** One answer that is to be given. */
export interface TurnRequest {
  /** What was said so far, checked and repaired (`readChatRequest`); the last one is the user's. */
  readonly messages: readonly ChatMessage[]
  readonly mode: ChatMode
  readonly model: ChatModel
  readonly instructions: string
  readonly tools: ToolSet
  /** What the turn goes on without. */
  readonly notices: readonly ChatDataParts['notice'][]
  /**
   * Aborted when whoever asked has left: the call of the model and all tools end within a second. Aborted with an ApiError, as when the
   * service ends, the stream tells its text in an `error` chunk.
   */
  readonly signal: AbortSignal
}

export interface TurnOptions {
  /** CHAT_TIMEOUT_S, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Logger
  readonly watch?: TurnWatch
}

/** Is told of a turn what metrics count. Nothing of it is content. */
export interface TurnWatch {
  /** The model has begun to answer: milliseconds since the turn began until its first text, thought or call. Once at most. */
  begun(afterMs: number): void
  toolEnded(call: { readonly tool: string; readonly isError: boolean; readonly durationMs: number }): void
  /** Once, in any case, before the stream has its end. */
  ended(outcome: TurnOutcome): void
}

export interface TurnOutcome {
  /** `left`: whoever asked has; `timeout`: it took longer than it may; `failed`: of the model or of ourselves; `stopped`: by an ApiError in the signal. */
  readonly end: AnswerEnd | 'left' | 'timeout' | 'failed' | 'stopped'
  readonly metadata: ChatMetadata
}

/** Most turns with tools; the last one has none, so that there always is a closing text. */
export const mostSteps = 15
