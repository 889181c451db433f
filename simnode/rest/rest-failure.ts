import { status } from '@grpc/grpc-js'
import { ApiError } from '../../src/platform/errors.ts'
import { Refusal } from '../node/refusal.ts'

/** The body of an answer that is none. */
export interface RestFailure {
  /** HTTP status. */
  readonly code: number
  readonly message: string
}

/**
 * HTTP statuses of gRPC codes, and what the node puts before its words. Source: onflow/flow-go
 * `engine/access/rest/common/base_http_request_handler.go`, where also what is INTERNAL is the request's fault. That a simulated node
 * does not know a script is UNIMPLEMENTED, which no real node says of one: it is told as a script that cannot be run.
 */
const statuses: Readonly<Record<number, { readonly code: number; readonly prefix: string }>> = {
  [status.NOT_FOUND]: { code: 404, prefix: 'Flow resource not found: ' },
  [status.INVALID_ARGUMENT]: { code: 400, prefix: 'Invalid Flow argument: ' },
  [status.FAILED_PRECONDITION]: { code: 400, prefix: 'Invalid Flow argument: ' },
  [status.OUT_OF_RANGE]: { code: 400, prefix: 'Invalid Flow argument: ' },
  [status.INTERNAL]: { code: 400, prefix: 'Invalid Flow request: ' },
  [status.UNIMPLEMENTED]: { code: 400, prefix: 'Invalid Flow request: ' },
  [status.UNAVAILABLE]: { code: 503, prefix: 'Failed to process request: ' },
  [status.RESOURCE_EXHAUSTED]: { code: 429, prefix: 'Failed to process request: ' },
  [status.DEADLINE_EXCEEDED]: { code: 408, prefix: 'Failed to process request: ' },
}

/** What a client is told of whatever was thrown on the way to its answer. */
export function restFailure(thrown: unknown): RestFailure {
  if (thrown instanceof ApiError) return { code: thrown.status, message: thrown.message }
  const known = thrown instanceof Refusal ? statuses[thrown.code] : undefined
  if (known === undefined)
    return { code: 500, message: `internal server error: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  return { code: known.code, message: `${known.prefix}${(thrown as Refusal).message}` }
}
