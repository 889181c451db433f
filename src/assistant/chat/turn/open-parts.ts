import type { ChatChunk } from './chat-turn.ts'

interface OpenCall {
  readonly toolName: string
  readonly dynamic: boolean
  /** All of its input is there. */
  readonly isComplete: boolean
}

/**
 * Follows what of an answer has begun and has no end yet, so that an answer that breaks off is whole all the same: its clients keep it
 * and send it back with the next question.
 */
export class OpenParts {
  readonly #texts = new Map<string, 'text-end' | 'reasoning-end'>()
  readonly #calls = new Map<string, OpenCall>()
  #isInStep = false

  note(chunk: ChatChunk): void {
    if (chunk.type === 'start-step' || chunk.type === 'finish-step') this.#isInStep = chunk.type === 'start-step'
    else if (chunk.type === 'text-start') this.#texts.set(chunk.id, 'text-end')
    else if (chunk.type === 'reasoning-start') this.#texts.set(chunk.id, 'reasoning-end')
    else if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') this.#texts.delete(chunk.id)
    else if (chunk.type === 'tool-input-start' || chunk.type === 'tool-input-available') {
      this.#calls.set(chunk.toolCallId, {
        toolName: chunk.toolName,
        dynamic: chunk.dynamic ?? false,
        isComplete: chunk.type === 'tool-input-available',
      })
    } else if (
      chunk.type === 'tool-input-error' ||
      chunk.type === 'tool-output-error' ||
      (chunk.type === 'tool-output-available' && chunk.preliminary !== true)
    ) {
      this.#calls.delete(chunk.toolCallId)
    }
  }

  /** What ends all that is open. @param reason why calls have no result */
  close(reason: string): readonly ChatChunk[] {
    const texts = [...this.#texts].map(([id, type]): ChatChunk => ({ type, id }))
    const calls = this.closeCalls(reason)
    const step: readonly ChatChunk[] = this.#isInStep ? [{ type: 'finish-step' }] : []
    this.#texts.clear()
    this.#isInStep = false
    return [...texts, ...calls, ...step]
  }

  closeCalls(reason: string): readonly ChatChunk[] {
    const calls = [...this.#calls].map(([toolCallId, { toolName, dynamic, isComplete }]): ChatChunk =>
      isComplete
        ? { type: 'tool-output-error', toolCallId, errorText: reason, ...(dynamic ? { dynamic } : {}) }
        : {
            type: 'tool-input-error',
            toolCallId,
            toolName,
            input: {},
            errorText: reason,
            ...(dynamic ? { dynamic } : {}),
          },
    )
    this.#calls.clear()
    return calls
  }
}
