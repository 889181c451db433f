import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  SlonikError,
  StatementTimeoutError,
} from 'slonik'
import { ApiError, RetryableError } from '../../platform/errors.ts'
import { problemOf } from '../../platform/problem.ts'
import type { Problem } from '../../platform/problem.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'

/** The body of every error, RFC 9457. */
export const problemSchema = z
  .strictObject({
    type: z.string().describe('urn:flowfarm:problem: and the code.'),
    title: z.string().describe('What the status means.'),
    status: z.int(),
    detail: z.string().describe('What went wrong, for people.'),
    code: z.string().describe('What went wrong, for programs; stable.'),
    field: z.string().optional().describe('The parameter at fault.'),
    request_id: z.string().describe('Names this request in the log.'),
  })
  .meta({ id: 'Problem' }) satisfies z.ZodType<Problem>

/** The same for clients that read a text in `error`. */
export const messageSchema = z
  .strictObject({ error: z.string().describe('What went wrong, for people.'), ...problemSchema.shape })
  .meta({ id: 'ErrorMessage' })

/** Answers a request that does not get as far as Koa, and ends its connection. */
export function sendProblem(response: ServerResponse, error: ApiError, requestId: string): void {
  const body = JSON.stringify(problemOf(error, requestId))
  response
    .writeHead(error.status, {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    })
    .end(body)
}

/** Code of the problem while the database is away, or too slow. */
export const databaseUnavailable = 'database-unavailable'

/** What a client may know of an error. An error that is no answer of ours says nothing of itself. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isDatabaseOutage(error)) {
    return new ApiError(503, databaseUnavailable, 'The database does not answer at the moment.', { cause: error })
  }
  const status = statusOf(error)
  if (status !== undefined) return new ApiError(status, 'bad-request', 'The request is not valid.', { cause: error })
  return new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: error })
}

const outageErrors = [
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
]

/** Slonik has classes for some outages and leaves the others as the driver threw them. */
function isDatabaseOutage(error: unknown): boolean {
  if (outageErrors.some((outage) => error instanceof outage)) return true
  if (error instanceof SlonikError) return isDatabaseOutage(error.cause)
  return error instanceof Error && 'code' in error && asDatabaseError(error) instanceof RetryableError
}

/** Status of an error by which Koa refuses a request; by shape, since several versions of its class can be loaded. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || !('expose' in error)) return undefined
  return typeof error.status === 'number' && error.status < 500 && error.expose === true ? error.status : undefined
}
