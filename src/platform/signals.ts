import { asError } from './errors.ts'

export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Independent of the sources. */
  readonly abort: (reason: Error) => void
  /** Removes the listeners on the sources. */
  readonly unlink: () => void
}

/**
 * `AbortSignal.any` leaves cleanup to the garbage collector, which costs a hot loop much memory.
 */
export function linkSignals(signals: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController()
  const listeners = signals.map((signal) => {
    const abort = (): void => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    return { signal, abort }
  })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => {
      for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort)
    },
  }
}

export function abortReason(signal: AbortSignal | undefined): Error {
  return asError(signal?.reason ?? new DOMException('This operation was aborted', 'AbortError'))
}

/** Rejects with the signal's reason if it is aborted first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortReason(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Lets one loop sleep until a time or a call. A call while it is awake ends its next sleep at once.
 */
export class WakeUp {
  #isCalled = false
  #resolve: (() => void) | undefined

  call(): void {
    this.#isCalled = true
    this.#resolve?.()
  }

  /** False after `ms` or abort. */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, ms)
        signal.addEventListener('abort', done, { once: true })
        this.#resolve = done
        function done(): void {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          resolve()
        }
      })
      this.#resolve = undefined
    }
    const wasCalled = this.#isCalled
    this.#isCalled = false
    return wasCalled
  }
}
