import { ApiError } from '../../../platform/errors.ts'
import { responseText } from '../../../platform/response-text.ts'

/**
 * `fetch` for the hosts that the operator has set and for no others: it goes nowhere that an answer leads to, waits so long and reads so much.
 * @param origins those of GITHUB_URL and GITHUB_API_URL
 * @throws ApiError 409 `repository-moved`, 502 `github-too-long`, 503 `github-unavailable`
 */
export function boundedFetch(
  origins: readonly string[],
  {
    patienceMs = 15_000,
    mostBytes = 12 * 1024 * 1024,
  }: { readonly patienceMs?: number; readonly mostBytes?: number } = {},
): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (!origins.includes(url.origin))
      throw new ApiError(500, 'internal-error', 'A call was to go to a host that is not GitHub.')
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
      if (response.status >= 300 && response.status < 400 && response.status !== 304) {
        await response.body?.cancel()
        throw new ApiError(
          409,
          'repository-moved',
          'GitHub has this repository under another name now: connect it again.',
        )
      }
      if ([204, 205, 304].includes(response.status)) return response
      const text = await responseText(
        response,
        mostBytes,
        () => new ApiError(502, 'github-too-long', `GitHub's answer has more than ${mostBytes} bytes.`),
      )
      return new Response(text, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw new ApiError(503, 'github-unavailable', 'GitHub does not answer. Nothing is lost: try again in a moment.', {
        cause: error,
        details: { retryAfterSeconds: 5 },
      })
    }
  }
}
