import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../base/errors.ts'
import { problemOf } from '../base/problem.ts'

/** What the proxy itself answers, where it passes nothing on. */

/** The services take 16 KB, and the proxy adds some headers of its own. */
export const mostHeaderBytes = 15 * 1024

export function refuse(response: ServerResponse, error: ApiError, requestId: string): void {
  response
    .writeHead(error.status, {
      ...problemHeaders(error, requestId),
      // What is left of the body is not read.
      ...(response.req.complete ? {} : { Connection: 'close' }),
    })
    .end(JSON.stringify(problemOf(error, requestId)))
}

/** Answers on a connection that has no response to write to, and ends it. */
export function refuseSocket(socket: Socket, error: ApiError): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const problem = problemOf(error, requestId)
  const body = JSON.stringify(problem)
  const headers = {
    ...problemHeaders(error, requestId),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${error.status} ${problem.title}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
}

/** What to say of what Node could not read. */
export function unreadable({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError(431, 'headers-too-large', `The headers of a request may have ${mostHeaderBytes} bytes.`)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError(408, 'request-timeout', 'The request took too long to come.')
  return new ApiError(400, 'bad-request', 'This is no request of HTTP/1.1 that can be read.')
}

function problemHeaders(error: ApiError, requestId: string): Record<string, string> {
  const { retryAfterSeconds } = error.details
  return {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(typeof retryAfterSeconds === 'number' ? { 'Retry-After': String(retryAfterSeconds) } : {}),
  }
}
