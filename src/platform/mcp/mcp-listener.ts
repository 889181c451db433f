import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { ApiError, asError } from '../errors.ts'
import { notFoundPage } from '../http/not-found-page.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { problemOf } from '../http/problem.ts'
import { readJson } from '../http/read-json.ts'
import { requireKnownOrigin, allowedOriginOf } from './origin-rules.ts'
import type { OriginRules } from './origin-rules.ts'

/** An admitted caller. */
interface AdmittedCaller {
  /** For the log, without a key. In `authInfo.clientId` for tools. */
  readonly name: string
  /** Network address of the client. In `authInfo.extra` for tools. */
  readonly client?: string | undefined
  /** Counts the requests of a body. @throws ApiError 429 */
  readonly count: (requests: number) => void
}

export interface McpListenerOptions {
  /** Address to bind. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Protocols by path, such as `/mcp`. */
  readonly protocols: Readonly<Record<string, McpHttpHandler>>
  /** @throws ApiError for callers that are not admitted */
  readonly admit: (request: IncomingMessage) => Promise<AdmittedCaller>
  readonly origins: OriginRules
  readonly log: Logger
  readonly metrics: Metrics
  /** Timeouts for receiving a request. Default: 10 s for its head, 30 s for all of it. */
  readonly patience?:
    | Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>
    | undefined
  /** How long `close` waits for running calls, ms. Default 3,000. */
  readonly closeGraceMs?: number | undefined
}

export interface McpListener {
  readonly port: number
  /** Accepts no more requests, waits for running ones, and ends the rest. */
  close(): Promise<void>
}

/** In ms, against slow clients. */
const usualPatience = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 } as const

/** Longest body. */
const maxBodyBytes = 1024 * 1024

type Speak = (request: NodeIncomingMessageLike, response: ServerResponse, body: unknown) => Promise<void>

/**
 * Serves MCP over streamable HTTP at the given paths, and `/health`.
 * @throws the system error when the port cannot be bound
 */
export async function startMcpListener(options: McpListenerOptions): Promise<McpListener> {
  const { log, metrics, protocols, closeGraceMs = 3000, patience = usualPatience } = options
  const onerror = (err: Error): void => log.error({ err }, 'a request of the protocol failed')
  const spoken = new Map<string, Speak>(
    Object.entries(protocols).map(([path, protocol]) => [path, toNodeHandler(protocol, { onerror })]),
  )
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isHealthAsked(request)) {
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
        .end('{"status":"ok"}')
      return
    }
    const speak = speakerOf(request, spoken)
    requireKnownOrigin(request.headers, options.origins)
    if (crossOrigin(request, response, options.origins)) return
    const caller = await options.admit(request)
    if (request.method !== 'POST') {
      throw new ApiError(
        405,
        'method-not-allowed',
        'Send messages with POST: there are no sessions here, and no stream to open.',
      )
    }
    const body = await readJson(request, maxBodyBytes)
    caller.count(countRequests(body))
    await speak(named(request, caller), response, body)
  }
  const server = createServer(
    { ...patience, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      const requestId = randomUUID()
      response.setHeader('X-Request-Id', requestId)
      response.setHeader('X-Content-Type-Options', 'nosniff')
      handle(request, response).catch((thrown: unknown) => {
        const error = toAnswer(thrown)
        metrics.mcpRefused.inc({ reason: error.code })
        if (error.status >= 500) log.error({ err: asError(thrown), requestId }, 'a request failed')
        else log.debug({ requestId, code: error.code }, 'a request was refused')
        if (response.headersSent) response.destroy()
        else {
          const page = notFoundPage(request, error)
          if (page === undefined) answerError(response, error, requestId)
          else
            response
              .writeHead(404, { ...page.headers, 'Cache-Control': 'no-store', Vary: 'Accept' })
              .end(request.method === 'HEAD' ? undefined : page.html)
        }
      })
    },
  )
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endCalls = async (): Promise<void> => {
    await Promise.all(Object.values(protocols).map((protocol) => protocol.close()))
  }
  return { port, close: () => closeServer(server, endCalls, closeGraceMs) }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

function isHealthAsked(request: IncomingMessage): boolean {
  return pathOf(request) === '/health' && (request.method === 'GET' || request.method === 'HEAD')
}

/** @throws ApiError 404 `unknown-path` */
function speakerOf(request: IncomingMessage, spoken: ReadonlyMap<string, Speak>): Speak {
  const speak = spoken.get(pathOf(request).replace(/\/$/, ''))
  if (speak === undefined)
    throw new ApiError(
      404,
      'unknown-path',
      `There is nothing here; MCP is spoken at ${[...spoken.keys()].join(' and ')}.`,
    )
  return speak
}

/** The request with `auth`, which the SDK passes to the tools; its type lacks `| undefined` in places. */
function named(request: IncomingMessage, { name, client }: AdmittedCaller): NodeIncomingMessageLike {
  return Object.assign(request, {
    auth: { token: '', clientId: name, scopes: [], extra: { client } },
  }) as NodeIncomingMessageLike
}

function toAnswer(thrown: unknown): ApiError {
  return thrown instanceof ApiError
    ? thrown
    : new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: thrown })
}

async function closeServer(server: Server, endCalls: () => Promise<void>, graceMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => {
    void endCalls().finally(() => server.closeAllConnections())
  }, graceMs)
  await closed
  clearTimeout(timer)
  await endCalls()
}

/**
 * The number of requests in a body, for the limit. Each request of a batch counts; notifications and responses are
 * free; an invalid body counts as one.
 */
function countRequests(body: unknown): number {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.filter((message) => !asksNothing(message)).length
}

function asksNothing(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  return 'method' in message ? !('id' in message) : 'result' in message || 'error' in message
}

/** Sets the CORS headers and answers preflights. @returns whether it was a preflight */
function crossOrigin(request: IncomingMessage, response: ServerResponse, rules: OriginRules): boolean {
  const origin = allowedOriginOf(request.headers, rules)
  response.setHeader('Vary', 'Origin')
  if (origin !== undefined) {
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader(
      'Access-Control-Expose-Headers',
      'Mcp-Session-Id, MCP-Protocol-Version, Retry-After, WWW-Authenticate, X-Request-Id',
    )
  }
  if (request.method !== 'OPTIONS') return false
  if (origin !== undefined) {
    response.setHeader('Access-Control-Allow-Methods', 'POST, OPTIONS')
    // Which headers a client sends depends on the revision of the protocol that it speaks.
    response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*')
    response.setHeader('Access-Control-Max-Age', '600')
  }
  response.writeHead(204).end()
  return true
}

/** Implementation-defined server error. Source: JSON-RPC 2.0, section 5.1. */
const serverError = -32_000

/**
 * Answers outside the protocol: an HTTP status and, as the transport specifies, a JSON-RPC error without an id, whose
 * `data` is an RFC 9457 problem.
 */
function answerError(response: ServerResponse, error: ApiError, requestId: string): void {
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
  // The rest of the body is not read.
  if (!response.req.complete) headers['Connection'] = 'close'
  response.writeHead(error.status, headers).end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: serverError, message: error.message, data: problemOf(error, requestId) },
    }),
  )
}
