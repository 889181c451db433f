import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  SlonikError,
  StatementTimeoutError,
} from 'slonik'
import { asDatabaseError } from '../db/errors.ts'
import { ApiError, RetryableError } from '../errors.ts'

/** RFC 9457. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly field?: string | undefined
  readonly request_id: string
}

export const problemSchema = z
  .strictObject({
    type: z.string().describe('urn:flowfarm:problem: followed by the code.'),
    title: z.string().describe('Title of the status.'),
    status: z.int(),
    detail: z.string().describe('Human-readable description of the error.'),
    code: z.string().describe('Machine-readable error code; stable.'),
    field: z.string().optional().describe('The invalid parameter.'),
    request_id: z.string().describe('Identifies this request in the log.'),
  })
  .meta({ id: 'Problem' }) satisfies z.ZodType<Problem>

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  426: 'Upgrade required',
  429: 'Too many requests',
  431: 'Request header fields too large',
  499: 'Client closed request',
  500: 'Internal error',
  501: 'Not implemented',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
  508: 'Loop detected',
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

export interface ErrorForm {
  readonly schema: z.ZodType
  readonly contentType: string
  readonly bodyOf: (error: ApiError, requestId: string, request: IncomingMessage) => unknown
  readonly headersOf?: (error: ApiError, request: IncomingMessage) => Readonly<Record<string, string>>
}

export const problemForm: ErrorForm = {
  schema: problemSchema,
  contentType: 'application/problem+json',
  bodyOf: problemOf,
}

/** For clients that read `error` as a string. */
export const messageForm: ErrorForm = {
  schema: z
    .strictObject({ error: z.string().describe('Human-readable description of the error.'), ...problemSchema.shape })
    .meta({ id: 'ErrorMessage' }),
  contentType: 'application/json',
  bodyOf: (error, requestId) => ({ error: error.message, ...problemOf(error, requestId) }),
}

/** For requests that do not reach Koa; closes the connection. */
export function sendProblem(response: ServerResponse, error: ApiError, requestId: string): void {
  const body = JSON.stringify(problemOf(error, requestId))
  response
    .writeHead(error.status, {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      ...(error.status === 503 ? { 'Retry-After': '1' } : {}),
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    })
    .end(body)
}

export const databaseUnavailable = 'database-unavailable'

/** Other errors than `ApiError` reveal nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isDatabaseOutage(error)) {
    return new ApiError(503, databaseUnavailable, 'The database is temporarily unavailable.', { cause: error })
  }
  const status = statusOf(error)
  if (status !== undefined) return new ApiError(status, 'bad-request', 'The request is invalid.', { cause: error })
  return new ApiError(500, 'internal-error', 'Internal error. See the log.', { cause: error })
}

const outageErrors = [
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
]

/** Slonik wraps some outages and rethrows others from the driver. */
function isDatabaseOutage(error: unknown): boolean {
  if (outageErrors.some((outage) => error instanceof outage)) return true
  if (error instanceof SlonikError) return isDatabaseOutage(error.cause)
  return error instanceof Error && 'code' in error && asDatabaseError(error) instanceof RetryableError
}

/** By shape, since several versions of Koa's error class can be loaded. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || !('expose' in error)) return undefined
  return typeof error.status === 'number' && error.status < 500 && error.expose === true ? error.status : undefined
}
