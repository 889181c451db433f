import { request as sendRequest } from 'node:http'
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { ApiError, asError } from '../../platform/errors.ts'
import { headersToClient } from './forwarded-headers.ts'
import type { Upstream } from './route-of.ts'

export interface ForwardedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upstream: Upstream
  readonly headers: OutgoingHttpHeaders
  readonly hasBody: boolean
  readonly agent: Agent
  readonly connectMs: number
}

/** `disconnected`: the client left first; `broken`: the service aborted its response. */
export type ForwardOutcome = 'answered' | 'disconnected' | 'broken'

/**
 * Streams without buffering. When either end disconnects, so does the other.
 *
 * @throws ApiError 502 `upstream-down`, 504 `upstream-slow` before the response begins; 400
 *   `bad-request` for headers that cannot be sent
 */
export async function forwardRequest(passed: ForwardedRequest): Promise<ForwardOutcome> {
  const { request, response } = passed
  let answer: IncomingMessage | undefined
  let hasClientLeft = false
  response.once('close', () => {
    hasClientLeft = !response.writableFinished && answer?.errored === null
  })
  try {
    answer = await firstAnswer(passed)
  } catch (error) {
    if (response.destroyed) return 'disconnected'
    throw error
  }
  const headers = headersToClient(answer.rawHeaders)
  // Otherwise the rest of an unread request would be parsed as the next request.
  if (!request.complete) headers['connection'] = 'close'
  response.writeHead(answer.statusCode ?? 502, headers)
  // Clients of a stream get its headers before the first event.
  response.flushHeaders()
  try {
    await pipeline(answer, response)
    return 'answered'
  } catch {
    // Destroying the connection is the only way to signal an incomplete response.
    return hasClientLeft ? 'disconnected' : 'broken'
  }
}

async function firstAnswer(passed: ForwardedRequest): Promise<IncomingMessage> {
  for (;;) {
    const sent = send(passed)
    try {
      return await answerTo(sent, passed)
    } catch (error) {
      // The service closed an idle connection that was just reused.
      if (!sent.reusedSocket || !isRepeatable(passed) || !isCut(error)) throw asAnswer(error, passed.upstream)
    }
  }
}

function send({ request, upstream, headers, agent }: ForwardedRequest): ClientRequest {
  const { hostname, port } = upstream.url
  try {
    return sendRequest({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? 80 : port,
      method: request.method,
      path: request.url,
      headers,
      agent,
    })
  } catch (error) {
    throw new ApiError(
      400,
      'bad-request',
      'Invalid request: the target or a header contains characters that cannot be forwarded.',
      { cause: error },
    )
  }
}

async function answerTo(
  sent: ClientRequest,
  { request, response, upstream, hasBody, connectMs }: ForwardedRequest,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const leave = (): void => void sent.destroy()
  response.once('close', leave)
  sent.once('close', () => {
    response.off('close', leave)
    // An unrequested upgrade emits neither a response nor an error.
    reject(new Error('the connection was closed without a response'))
  })
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.setTimeout(upstream.timeoutMs, () => sent.destroy(tooSlow(upstream)))
  sent.once('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(() => sent.destroy(down(upstream)), connectMs)
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
  })
  if (hasBody) request.pipe(sent)
  else sent.end()
  return promise
}

function isRepeatable({ request: { method }, response, hasBody }: ForwardedRequest): boolean {
  return !hasBody && (method === 'GET' || method === 'HEAD') && !response.destroyed
}

function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function asAnswer(error: unknown, upstream: Upstream): unknown {
  return error instanceof ApiError ? error : down(upstream, asError(error))
}

function down({ title }: Upstream, cause?: Error): ApiError {
  return new ApiError(502, 'upstream-down', `${capital(title)} is unavailable. Try again in 2 s.`, {
    ...(cause === undefined ? {} : { cause }),
    details: { retryAfterSeconds: 2 },
  })
}

function tooSlow({ title, timeoutMs }: Upstream): ApiError {
  return new ApiError(504, 'upstream-slow', `${capital(title)} sent nothing for ${Math.round(timeoutMs / 1000)} s.`)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
