import { ApiError } from '../../../platform/errors.ts'

/** Why a turn ends before its answer does. */
export type StopReason = 'left' | 'timeout' | 'stopped'

/** The one signal of a turn: of whoever asked, of whoever reads the answer, and of its time. Holds nothing after `end`. */
export class TurnStop {
  readonly #control = new AbortController()
  readonly #asked: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #leave = (): void => this.leave(this.#asked.reason)
  #reason: StopReason | undefined

  constructor(asked: AbortSignal, timeoutMs: number) {
    this.#asked = asked
    this.#timer = setTimeout(() => this.#stop('timeout', tookTooLong(timeoutMs)), timeoutMs)
    asked.addEventListener('abort', this.#leave, { once: true })
    if (asked.aborted) this.#leave()
  }

  get signal(): AbortSignal {
    return this.#control.signal
  }

  /** Undefined as long as it goes on. */
  get reason(): StopReason | undefined {
    return this.#reason
  }

  /** Words for whoever asked; undefined: there is nobody to read any. */
  get told(): string | undefined {
    const { reason } = this.signal as { readonly reason: unknown }
    return reason instanceof ApiError ? reason.message : undefined
  }

  leave(reason: unknown): void {
    this.#stop(reason instanceof ApiError ? 'stopped' : 'left', reason)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#asked.removeEventListener('abort', this.#leave)
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
    `The answer took longer than ${timeoutMs / 1000} s, and was ended. Ask for less at once, or in the mode fast.`,
  )
}
