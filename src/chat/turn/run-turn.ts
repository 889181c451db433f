import type { ChatChunk, TurnOptions, TurnRequest } from './chat-turn.ts'

/** Gives one answer: what the model says and does, as the clients of the AI SDK read it. */
export function runTurn(request: TurnRequest, options: TurnOptions): ReadableStream<ChatChunk> {
  throw new Error(`not there yet: ${request.mode} ${options.timeoutMs}`)
}
