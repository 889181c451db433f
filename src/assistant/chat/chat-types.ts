import type { ToolSet, UIMessage, UIMessageChunk } from 'ai'
import { z } from 'zod'
import type { Logger } from '../../platform/log.ts'
import type { ChatModel } from './models/chat-models.ts'

export const chatModes = ['fast', 'balanced', 'deep'] as const
export const chatMode = z.enum(chatModes).meta({ id: 'ChatMode' })
export type ChatMode = z.output<typeof chatMode>

export const chatMetadata = z
  .strictObject({
    mode: chatMode.exactOptional(),
    model: z.string().describe('For example `anthropic/claude-sonnet-4-6`.').exactOptional(),
    isScripted: z.boolean().exactOptional(),
    end: z
      .enum(['complete', 'steps', 'length', 'refused'])
      .describe('`steps`: the model used all tool turns; `length`: the provider reached its token limit.')
      .exactOptional(),
    steps: z.int().describe('Tool turns, including the closing one.').exactOptional(),
    usage: z
      .strictObject({
        inputTokens: z.int().nullable(),
        outputTokens: z.int().nullable(),
        reasoningTokens: z.int().nullable(),
        totalTokens: z.int().nullable(),
      })
      .exactOptional(),
    durationMs: z.int().exactOptional(),
  })
  .meta({ id: 'AnswerMetadata' })
export type ChatMetadata = Readonly<z.output<typeof chatMetadata>>
export type AnswerEnd = NonNullable<ChatMetadata['end']>

export const chatNotice = z.strictObject({ code: z.string(), text: z.string() }).meta({ id: 'Notice' })

/** Data parts of a stream (`data-notice`). They do not go back to the model. */
export interface ChatDataParts extends Record<string, unknown> {
  readonly notice: Readonly<z.output<typeof chatNotice>>
}

export type ChatMessage = UIMessage<ChatMetadata, { notice: ChatDataParts['notice'] }>

export const defaultMode: ChatMode = 'balanced'

export function isChatMode(text: unknown): text is ChatMode {
  return typeof text === 'string' && (chatModes as readonly string[]).includes(text)
}

export type ChatChunk = UIMessageChunk<ChatMetadata, { notice: ChatDataParts['notice'] }>

export interface TurnRequest {
  readonly messages: readonly ChatMessage[]
  readonly mode: ChatMode
  readonly model: ChatModel
  readonly instructions: string
  readonly tools: ToolSet
  readonly notices: readonly ChatDataParts['notice'][]
  /**
   * Aborted when the client disconnects. After an abort with an ApiError, as on shutdown, the
   * stream ends with its message in an `error` chunk.
   */
  readonly signal: AbortSignal
}

export interface TurnOptions {
  readonly timeoutMs: number
  readonly log: Logger
  readonly watch?: TurnWatch
}

export interface TurnWatch {
  /** Called at most once: ms until the first text, reasoning or tool call. */
  started(afterMs: number): void
  toolEnded(call: { readonly tool: string; readonly isError: boolean; readonly durationMs: number }): void
  /** Called exactly once, before the stream ends. */
  ended(outcome: TurnOutcome): void
}

export interface TurnOutcome {
  readonly end: AnswerEnd | 'disconnected' | 'timeout' | 'failed' | 'stopped'
  readonly metadata: ChatMetadata
}

export const maxSteps = 15
