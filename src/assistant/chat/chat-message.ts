import type { UIMessage } from 'ai'
import type { ChatMode } from './chat-modes.ts'

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
