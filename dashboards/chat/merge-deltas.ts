import type { UIMessageChunk } from 'ai'

type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Joins pieces of a text that come quickly one after the other. Whoever reads an answer copies all of it for each piece, rows of tools
 * included: a model that writes a hundred words a second would keep a browser busy with nothing else. The first piece is never held back.
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
