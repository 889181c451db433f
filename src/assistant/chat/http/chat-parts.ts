import type { ChatRequest } from '../history/read-chat-request.ts'
import type { ChatModel, ChatModels } from '../models/chat-models.ts'
import type { ChatMode } from '../chat-modes.ts'
import type { ChatChunk, TurnWatch } from '../turn/chat-turn.ts'

/** A question that is to be answered now. */
export interface Question extends Pick<ChatRequest, 'messages' | 'notices'> {
  readonly mode: ChatMode
  readonly model: ChatModel
  /** As `TurnRequest` has it. */
  readonly signal: AbortSignal
  readonly watch: TurnWatch
}

/** What the routes lean on. */
export interface ChatParts {
  readonly models: ChatModels
  /** Questions to begin with, for the page. */
  readonly examples: readonly string[]
  /** Where people reach the explorer. */
  readonly explorerUrl: string | undefined
  /** Hosts that links in answers may lead to, besides the page's own. */
  readonly linkHosts: readonly string[]
  /** Names of the tools that there were last. */
  toolNames(): readonly string[]
  /** Looks which tools there are, so that the first question need not wait for it. Rejects when the signal is aborted. */
  prepare(signal: AbortSignal): Promise<void>
  /** Gathers the tools and begins the answer; the rest is in the stream. Rejects for faults of ours, and when the signal is aborted. */
  answer(question: Question): Promise<ReadableStream<ChatChunk>>
}
