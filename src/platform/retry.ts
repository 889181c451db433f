import { setTimeout as delay } from 'node:timers/promises'
import { RetryableError } from './errors.ts'

export interface RetryOptions {
  signal?: AbortSignal | undefined
  isRetryable?: (error: unknown) => boolean
  /** Upper bound of the first delay. */
  baseMs?: number
  maxMs?: number
  /** Called before each delay. `attempt` counts from 1. */
  onRetry?: (error: unknown, attempt: number, pauseMs: number) => void
}

/**
 * Random between half of and the full bound, which doubles from `baseMs` up to `maxMs`. The jitter
 * spreads processes that failed together.
 */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.ceil(bound / 2 + (Math.random() * bound) / 2)
}

/** `attempt` counts from 1. Errors that are not retryable are rethrown. */
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

/** Rejects with the signal's reason if it is aborted first. */
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
