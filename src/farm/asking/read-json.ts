import { RetryableError } from '../../base/errors.ts'
import { responseText } from '../../base/response-text.ts'

/** How long a source may take, and how much it may give. */
const timeoutMs = 15_000
const mostBytes = 16 * 1024 * 1024

/**
 * Reads JSON from a source outside.
 * @throws RetryableError where it does not answer, or not with JSON; the signal's reason
 */
export async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (!response.ok) throw new Error(`it answered with HTTP status ${response.status}`)
    return JSON.parse(
      await responseText(response, mostBytes, () => new Error(`its answer is longer than ${mostBytes} bytes`)),
    ) as unknown
  } catch (error) {
    signal.throwIfAborted()
    throw new RetryableError(
      'source-unavailable',
      `the source did not give JSON: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
