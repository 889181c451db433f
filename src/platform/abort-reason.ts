import { asError } from './errors.ts'

/** What a promise rejects with when its signal is aborted: the signal's own reason. */
export function abortReason(signal: AbortSignal | undefined): Error {
  return asError(signal?.reason ?? new DOMException('This operation was aborted', 'AbortError'))
}

/** Waits for a promise, but not longer than until the signal is aborted; then rejects with the signal's reason. */
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
