import type { UIMessage, UIMessageChunk } from 'ai'
import type { AnswerMetadata, Notice } from './answers.gen.ts'

export type ChatMessage = UIMessage<AnswerMetadata, { notice: Notice }>
export type MessagePart = ChatMessage['parts'][number]

/** The service takes no more messages, and no longer bodies: 4 MB with all that is around them. */
const maxMessages = 200
const maxBytes = 3_500_000

/**
 * What of a conversation goes to the service: the newest of it, in whole turns, as much as it takes. What was said
 * long ago is on the page still, but the model is not told it again.
 */
export function historyToSend(messages: readonly ChatMessage[]): ChatMessage[] {
  const encoder = new TextEncoder()
  let bytes = 0
  let from = messages.length
  for (let i = messages.length - 1; i >= 0 && messages.length - i <= maxMessages; i--) {
    bytes += encoder.encode(JSON.stringify(messages[i])).length
    if (bytes > maxBytes) break
    // A turn begins with its question.
    if (messages[i]?.role === 'user') from = i
  }
  return from === messages.length ? messages.slice(-1) : messages.slice(from)
}

type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Joins pieces of a text that come quickly one after the other. Whoever reads an answer copies all of it for each
 * piece, rows of tools included: a model that writes a hundred words a second would keep a browser busy with nothing
 * else. The first piece is never held back.
 * @param everyMs a piece goes on at most so often
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
      // Nobody reads any more: the connection was lost, or the answer was stopped.
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
