import type { ServerResponse } from 'node:http'
import type { ApiError } from '../errors.ts'
import { problemOf } from '../problem.ts'

/** Implementation-defined server error. Source: JSON-RPC 2.0, section 5.1. */
const serverError = -32_000

/**
 * Answers a request that the protocol does not see: an HTTP status, and a JSON-RPC error without an id, as the specification
 * of the transport has it, whose `data` is the problem of RFC 9457 that the other servers send.
 */
export function answerError(response: ServerResponse, error: ApiError, requestId: string): void {
  const { retryAfterSeconds } = error.details
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  // RFC 6750, section 3: without credentials there is no error to name.
  if (error.status === 401)
    headers['WWW-Authenticate'] = `Bearer realm="flowfarm"${error.code === 'bad-key' ? ', error="invalid_token"' : ''}`
  if (error.status === 405) headers['Allow'] = 'POST, OPTIONS'
  if (error.status === 429)
    headers['Retry-After'] = String(typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 60)
  if (error.status === 503)
    headers['Retry-After'] = String(typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 1)
  // What is left of the body is not read.
  if (!response.req.complete) headers['Connection'] = 'close'
  response.writeHead(error.status, headers).end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: serverError, message: error.message, data: problemOf(error, requestId) },
    }),
  )
}
