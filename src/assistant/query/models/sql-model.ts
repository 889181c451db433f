import type { ModelState } from '../../../platform/llm/model-state.ts'

/** One turn of the talk with a model. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface ModelRequest {
  /** The same for all questions to a database, so that providers can keep it. */
  readonly instructions: string
  /** Begins and ends with one of the user. */
  readonly messages: readonly ModelMessage[]
  /** Without what surrounds it in the messages. */
  readonly question: string
  readonly signal: AbortSignal
}

export interface ModelReply {
  readonly text: string
  /** The reply reached the limit of its length and ends in the middle. */
  readonly isCutOff: boolean
}

/** Whoever writes statements for questions. */
export interface SqlModel {
  readonly state: ModelState
  /** @throws ApiError 502 `model-failed` with the reason; the reason of the signal when that was aborted */
  reply(request: ModelRequest): Promise<ModelReply>
}
