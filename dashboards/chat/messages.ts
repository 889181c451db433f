import type { UIMessage, UIMessageChunk } from 'ai'
import type { AnswerMetadata, Notice } from './answers.gen.ts'

export type ChatMessage = UIMessage<AnswerMetadata, { notice: Notice }>
export type MessagePart = ChatMessage['parts'][number]

/** Limits of the service: 200 messages, 4 MB including the rest of the request. */
const maxMessages = 200
const maxBytes = 3_500_000

/** The newest whole turns that fit the limits of the service. */
export function historyToSend(messages: readonly ChatMessage[]): ChatMessage[] {
  const encoder = new TextEncoder()
  let bytes = 0
  let from = messages.length
  for (let i = messages.length - 1; i >= 0 && messages.length - i <= maxMessages; i--) {
    bytes += encoder.encode(JSON.stringify(messages[i])).length
    if (bytes > maxBytes) break
    if (messages[i]?.role === 'user') from = i
  }
  return from === messages.length ? messages.slice(-1) : messages.slice(from)
}

type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Merges text deltas that arrive in quick succession: each one makes React copy the whole answer.
 * @param everyMs minimum time between merged deltas
 */
export function mergeDeltas(everyMs: number): TransformStream<UIMessageChunk, UIMessageChunk> {
  let held: Delta | undefined
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const release = (controller: TransformStreamDefaultController<UIMessageChunk>): void => {
    clearTimeout(timer)
    timer = undefined
    if (held === undefined) return
    const piece = held
    held = undefined
    last = performance.now()
    controller.enqueue(piece)
  }
  const releaseLate = (controller: TransformStreamDefaultController<UIMessageChunk>): void => {
    try {
      release(controller)
    } catch (error) {
      // The reader has closed: the connection was lost or the answer was stopped.
      if (!(error instanceof TypeError)) throw error
    }
  }
  return new TransformStream({
    transform: (chunk, controller) => {
      if (!isDelta(chunk)) {
        release(controller)
        controller.enqueue(chunk)
        return
      }
      if (held !== undefined && (held.type !== chunk.type || held.id !== chunk.id)) release(controller)
      held = held === undefined ? chunk : { ...held, delta: held.delta + chunk.delta }
      const wait = last + everyMs - performance.now()
      if (wait <= 0) release(controller)
      else timer ??= setTimeout(() => releaseLate(controller), wait)
    },
    flush: release,
  })
}

function isDelta(chunk: UIMessageChunk): chunk is Delta {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta'
}
