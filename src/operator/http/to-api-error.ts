import { ApiError, FatalError, RetryableError } from '../../base/errors.ts'
import { asDatabaseError } from '../../db/errors.ts'

/** What a client may know of an error. An error that is no answer of ours says nothing of itself. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // Not all statements throw errors of our tree; what is no error of the database stays what it is.
  const known = asDatabaseError(error)
  if (known.code === 'queue-unavailable') return new ApiError(503, known.code, known.message, { cause: error })
  if (known instanceof RetryableError) {
    return new ApiError(503, 'database-unavailable', 'The database does not answer at the moment; try again.', {
      cause: error,
    })
  }
  // Written for whoever runs the program, and that is who asks.
  if (error instanceof FatalError && error.code !== 'database-error') {
    return new ApiError(500, error.code, error.message, { cause: error })
  }
  return new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: error })
}
