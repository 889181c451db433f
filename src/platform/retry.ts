import { setTimeout as delay } from 'node:timers/promises'
import { RetryableError } from './errors.ts'

export interface RetryOptions {
  /** Ends the waiting and the trying; the promise then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Which errors are worth another try. Default: `RetryableError` and nothing else. */
  isRetryable?: (error: unknown) => boolean
  /** Upper bound of the first pause, in milliseconds. Default 100. */
  baseMs?: number
  /** Upper bound of every pause, in milliseconds. Default 10,000. */
  maxMs?: number
  /** Called before each pause with the error, the number of the try that failed (from 1) and the pause. */
  onRetry?: (error: unknown, attempt: number, pauseMs: number) => void
}

/**
 * The pause after the failed try number `attempt` (from 1): a random time between half of and the full bound, which
 * doubles from `baseMs` with every try up to `maxMs`. The jitter keeps processes that failed together from coming
 * back together; the lower half keeps them from coming back at once.
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.ceil(bound / 2 + (Math.random() * bound) / 2)
}

/**
 * Runs `fn` until it succeeds, pausing with growing, jittered pauses while its errors are retryable. `fn` is given the
 * number of the try, from 1. The first error that is not retryable is thrown as it is.
 */
export async function retryWhile<T>(fn: (attempt: number) => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { signal, isRetryable = isRetryableError, baseMs = 100, maxMs = 10_000, onRetry } = options
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await fn(attempt)
    } catch (error) {
      if (signal?.aborted === true || !isRetryable(error)) throw error
      const pauseMs = backoffMs(attempt, baseMs, maxMs)
      onRetry?.(error, attempt, pauseMs)
      await pause(pauseMs, signal)
    }
  }
}

/** Waits for `ms` milliseconds; rejects with the signal's own reason when it is aborted first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

function isRetryableError(error: unknown): boolean {
  return error instanceof RetryableError
}
