import { ApiError } from '../../../platform/errors.ts'

interface GitHubFailure extends Error {
  readonly status: number
  readonly response?: {
    readonly headers: Readonly<Record<string, string | number | undefined>>
    readonly data: unknown
  }
}

function isGitHubFailure(error: unknown): error is GitHubFailure {
  return (
    error instanceof Error &&
    error.name === 'HttpError' &&
    typeof (error as { readonly status?: unknown }).status === 'number'
  )
}

export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(Number(error.details['githubStatus']))
}

export function wordsOf(error: unknown): string {
  const words = error instanceof ApiError ? error.details['words'] : undefined
  return typeof words === 'string' ? words : ''
}

/**
 * A GitHub error without its request, whose headers hold a token. Other errors are returned
 * unchanged.
 */
export function toApiError(error: unknown, now: number = Date.now()): unknown {
  // Octokit wraps errors of `fetch`.
  if (error instanceof Error && error.cause instanceof ApiError) return error.cause
  if (!isGitHubFailure(error)) return error
  const { status, response } = error
  const words = wordsIn(response?.data)
  const details = { githubStatus: status, words }
  const wait = waitSeconds(status, response?.headers ?? {}, words, now)
  if (wait !== undefined) {
    return new ApiError(429, 'github-rate-limited', `GitHub's rate limit is reached. Try again in ${wait} s.`, {
      details: { ...details, retryAfterSeconds: wait },
    })
  }
  switch (status) {
    case 401:
      return new ApiError(
        502,
        'github-refused-app',
        'GitHub does not accept this App or its key. The operator must check GITHUB_APP_ID and ' +
          'GITHUB_APP_PRIVATE_KEY.',
        { details },
      )
    case 403:
      return new ApiError(
        403,
        'github-forbidden',
        sentenceWith(
          'GitHub denied access: the App lacks a permission, or the repository is archived or protected',
          words,
        ),
        { details },
      )
    case 404:
      return new ApiError(404, 'not-on-github', 'Not found on GitHub, or the App has no access.', { details })
    case 409:
      return new ApiError(409, 'github-conflict', sentenceWith('GitHub reported a conflict', words), { details })
    case 410:
      return new ApiError(404, 'not-on-github', 'No longer available on GitHub, or disabled there.', {
        details,
      })
    case 422:
      return new ApiError(422, 'github-refused', sentenceWith('GitHub rejected the request', words), { details })
    default:
      return new ApiError(503, 'github-unavailable', `GitHub returned status ${status}. Try again in a moment.`, {
        details: { ...details, retryAfterSeconds: 5 },
      })
  }
}

/** Seconds until GitHub accepts calls again. Rate limits have status 403 or 429. */
function waitSeconds(
  status: number,
  headers: Readonly<Record<string, string | number | undefined>>,
  words: string,
  now: number,
): number | undefined {
  if (status !== 403 && status !== 429) return undefined
  const given = Number(headers['retry-after'])
  if (given > 0) return Math.min(Math.ceil(given), 3600)
  if (String(headers['x-ratelimit-remaining']) === '0') {
    const reset = Number(headers['x-ratelimit-reset']) - now / 1000
    return Number.isFinite(reset) ? Math.min(Math.max(1, Math.ceil(reset)), 3600) : 60
  }
  return status === 429 || /rate limit/i.test(words) ? 60 : undefined
}

function wordsIn(data: unknown): string {
  if (typeof data !== 'object' || data === null) return ''
  const { message, errors } = data as { readonly message?: unknown; readonly errors?: unknown }
  const more = Array.isArray(errors)
    ? (errors as unknown[])
        .map((one) => (typeof one === 'string' ? one : (one as { readonly message?: unknown } | null)?.message))
        .filter((one) => typeof one === 'string')
    : []
  return [typeof message === 'string' ? message : '', ...more]
    .filter((part) => part !== '')
    .join(': ')
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .toWellFormed()
    .slice(0, 300)
    .toWellFormed()
}

function sentenceWith(sentence: string, words: string): string {
  return words === '' ? `${sentence}.` : `${sentence}: "${words}".`
}
