import { RetryableError } from '../../base/errors.ts'

/** How long a source may take, and how much it may give. */
const timeoutMs = 15_000
const mostBytes = 16 * 1024 * 1024

/**
 * Reads JSON from a source outside.
 * @throws RetryableError where it does not answer, or not with JSON; the signal's reason
 */
export async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    if (!response.ok) throw new Error(`it answered with HTTP status ${response.status}`)
    const chunks: Uint8Array[] = []
    let length = 0
    const body: AsyncIterable<Uint8Array> | null = response.body
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > mostBytes) throw new Error(`its answer is longer than ${mostBytes} bytes`)
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch (error) {
    signal.throwIfAborted()
    throw new RetryableError('source-unavailable', `the source did not give JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
