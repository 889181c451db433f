import type { ToolSet, UIMessageChunk } from 'ai'
import type { ChatMessage, ChatMetadata, ChatDataParts } from '../chat-message.ts'
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
  /** Aborted when whoever asked has left: the call of the model and all tools end within a second. */
  readonly signal: AbortSignal
}

/** Most turns with tools; the last one has none, so that there always is a closing text. */
export const mostSteps = 15
