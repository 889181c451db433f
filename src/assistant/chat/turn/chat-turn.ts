import type { ToolSet, UIMessageChunk } from 'ai'
import type { Logger } from '../../../platform/log.ts'
import type { AnswerEnd, ChatDataParts, ChatMessage, ChatMetadata } from '../chat-message.ts'
import type { ChatMode } from '../chat-modes.ts'
import type { ChatModel } from '../models/chat-models.ts'

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
