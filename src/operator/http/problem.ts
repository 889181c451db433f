import { ApiError, FatalError, RetryableError } from '../../base/errors.ts'
import { asDatabaseError } from '../../db/errors.ts'

/** The body of every error, RFC 9457; the same form as that of the explorer API. */
export interface Problem {
  /** `urn:flowfarm:problem:` and the code. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What went wrong and what to do, for people. */
  readonly detail: string
  /** What went wrong, for programs; stable. */
  readonly code: string
  /** The parameter or field at fault. */
  readonly field?: string
  readonly request_id: string
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not found', 405: 'Method not allowed',
  413: 'Content too large', 415: 'Unsupported media type', 429: 'Too many requests', 500: 'Internal error', 503: 'Service unavailable',
}

/** What a client may know of an error. An error that is no answer of ours says nothing of itself. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // Not all statements throw errors of our tree; what is no error of the database stays what it is.
  const known = asDatabaseError(error)
  if (known.code === 'queue-unavailable') return new ApiError(503, known.code, known.message, { cause: error })
  if (known instanceof RetryableError) {
    return new ApiError(503, 'database-unavailable', 'The database does not answer at the moment; try again.', { cause: error })
  }
  // Written for whoever runs the program, and that is who asks.
  if (error instanceof FatalError && error.code !== 'database-error') {
    return new ApiError(500, error.code, error.message, { cause: error })
  }
  return new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: error })
}

export function problemOf(error: ApiError, requestId: string): Problem {
  return {
    type: `urn:flowfarm:problem:${error.code}`,
    title: titles[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
    request_id: requestId,
  }
}
