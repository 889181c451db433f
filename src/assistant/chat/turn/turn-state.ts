import type { LanguageModelUsage } from 'ai'
import { ApiError } from '../../../platform/errors.ts'
import type { AnswerEnd, ChatChunk, ChatMetadata, TurnRequest } from '../chat-types.ts'

interface OpenCall {
  readonly toolName: string
  readonly dynamic: boolean
  readonly isComplete: boolean
}

/**
 * Tracks open parts, to close them on an abort: clients send the answer back with the next
 * question.
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

export class TurnAccount {
  readonly #request: Pick<TurnRequest, 'mode' | 'model'>
  readonly #startedAt = performance.now()
  #steps = 0
  #input: number | null = null
  #output: number | null = null
  #reasoning: number | null = null

  constructor(request: Pick<TurnRequest, 'mode' | 'model'>) {
    this.#request = request
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  get steps(): number {
    return this.#steps
  }

  beginStep(): void {
    this.#steps++
  }

  spend({ inputTokens, outputTokens, outputTokenDetails }: LanguageModelUsage): void {
    this.#input = sum(this.#input, inputTokens)
    this.#output = sum(this.#output, outputTokens)
    this.#reasoning = sum(this.#reasoning, outputTokenDetails.reasoningTokens)
  }

  get origin(): ChatMetadata {
    const {
      mode,
      model: { state },
    } = this.#request
    return { mode, model: `${state.provider}/${state.name}`, isScripted: state.isScripted }
  }

  /** @param end undefined: the answer was aborted */
  metadata(end: AnswerEnd | undefined): ChatMetadata {
    const total = this.#input === null && this.#output === null ? null : (this.#input ?? 0) + (this.#output ?? 0)
    return {
      ...this.origin,
      ...(end === undefined ? {} : { end }),
      steps: this.#steps,
      durationMs: Math.round(this.elapsedMs),
      usage: {
        inputTokens: this.#input,
        outputTokens: this.#output,
        reasoningTokens: this.#reasoning,
        totalTokens: total,
      },
    }
  }
}

function sum(before: number | null, more: number | undefined): number | null {
  return more === undefined ? before : (before ?? 0) + more
}

export type StopReason = 'disconnected' | 'timeout' | 'stopped'

/** Aborted by client, stream reader or timeout. Holds nothing after `end`. */
export class TurnStop {
  readonly #control = new AbortController()
  readonly #clientSignal: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #leave = (): void => this.leave(this.#clientSignal.reason)
  #reason: StopReason | undefined

  constructor(clientSignal: AbortSignal, timeoutMs: number) {
    this.#clientSignal = clientSignal
    this.#timer = setTimeout(() => this.#stop('timeout', tookTooLong(timeoutMs)), timeoutMs)
    clientSignal.addEventListener('abort', this.#leave, { once: true })
    if (clientSignal.aborted) this.#leave()
  }

  get signal(): AbortSignal {
    return this.#control.signal
  }

  get reason(): StopReason | undefined {
    return this.#reason
  }

  get message(): string | undefined {
    const { reason } = this.signal as { readonly reason: unknown }
    return reason instanceof ApiError ? reason.message : undefined
  }

  leave(reason: unknown): void {
    this.#stop(reason instanceof ApiError ? 'stopped' : 'disconnected', reason)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#clientSignal.removeEventListener('abort', this.#leave)
  }

  #stop(reason: StopReason, cause: unknown): void {
    this.#reason ??= reason
    this.#control.abort(cause)
  }
}

function tookTooLong(timeoutMs: number): ApiError {
  return new ApiError(
    504,
    'answer-timeout',
    `The answer timed out after ${timeoutMs / 1000} s. Ask a smaller question, or use the mode fast.`,
  )
}
