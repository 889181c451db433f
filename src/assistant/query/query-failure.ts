import type { ApiError } from '../../platform/errors.ts'
import type { QueryFailure } from './query-service.ts'

/** What of an error a client and the model may know: its code and words, and where in the statement the fault is. */
export function failureOf(error: ApiError): QueryFailure {
  const { sqlState, position, hint } = error.details
  return {
    code: error.code,
    detail: error.message,
    ...(typeof sqlState === 'string' ? { sqlState } : {}),
    ...(typeof position === 'number' ? { position } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  }
}
