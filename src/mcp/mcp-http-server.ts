import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import type { Admission, Caller } from './access/admission.ts'
import { requireKnownOrigin } from './access/origin-rules.ts'
import type { OriginRules } from './access/origin-rules.ts'
import { ApiError, asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { isShallow, mostJsonLevels } from '../base/json-depth.ts'
import { readJson } from '../base/read-json.ts'
import { answerError } from './http/answer-error.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { countRequests } from './http/message-count.ts'
import { createProtocol } from './protocol.ts'
import type { ProtocolOptions } from './protocol.ts'

export interface McpHttpOptions extends ProtocolOptions {
  /** Address to bind. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly admission: Admission
  readonly origins: OriginRules
  readonly log: Logger
  /** How long a request may take to come. Default: 10 s for its head, 30 s for all of it. */
  readonly patience?: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'>
  /** How long `close` waits for calls that run, in milliseconds. Default 3,000. */
  readonly closeGraceMs?: number
}

export interface McpHttpServer {
  readonly port: number
  /** Takes no more requests, waits for what runs, ends the rest. */
  close(): Promise<void>
}

/** Milliseconds. Who sends a byte now and then holds no connection for long. */
const usualPatience = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 } as const

/** Longer than any statement, question or script of use. */
const mostBodyBytes = 1024 * 1024

/**
 * Starts the MCP server: streamable HTTP at `/mcp`, and `/health`.
 * @throws what the system says when the port cannot be bound
 */
export async function startMcpHttpServer(options: McpHttpOptions): Promise<McpHttpServer> {
  const { log, metrics, closeGraceMs = 3000, patience = usualPatience } = options
  const protocol = createProtocol(options)
  const speak = toNodeHandler(protocol, { onerror: (err) => log.error({ err }, 'a request of the protocol failed') })
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = await admitted(request, response, options)
    if (caller === undefined) return
    const body = await readJson(request, mostBodyBytes)
    if (!isShallow(body)) throw new ApiError(400, 'too-deep', `Lists and objects may be within each other ${mostJsonLevels} deep.`)
    options.admission.count(caller, countRequests(body))
    await speak(named(request, caller), response, body)
  }
  const server = createServer({ ...patience, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 }, (request, response) => {
    const requestId = randomUUID()
    response.setHeader('X-Request-Id', requestId)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    handle(request, response).catch((thrown: unknown) => {
      const error = toAnswer(thrown)
      metrics.mcpRefused.inc({ reason: error.code })
      if (error.status >= 500) log.error({ err: asError(thrown), requestId }, 'a request failed')
      else log.debug({ requestId, code: error.code }, 'a request was refused')
      if (response.headersSent) response.destroy()
      else answerError(response, error, requestId)
    })
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  log.info({ host: options.host, port, path: '/mcp' }, 'the MCP server listens')
  return { port, close: () => closeServer(server, protocol.close, closeGraceMs) }
}

/** Who calls; undefined where the request is answered already. @throws ApiError */
async function admitted(request: IncomingMessage, response: ServerResponse, { admission, origins }: McpHttpOptions): Promise<Caller | undefined> {
  const path = (request.url ?? '').split('?', 1)[0]
  if (path === '/health' && (request.method === 'GET' || request.method === 'HEAD')) {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end('{"status":"ok"}')
    return undefined
  }
  if (path !== '/mcp' && path !== '/mcp/') throw new ApiError(404, 'unknown-path', 'There is nothing here; MCP is spoken at /mcp.')
  requireKnownOrigin(request.headers, origins)
  if (crossOrigin(request, response, origins)) return undefined
  const caller = await admission.admit(request)
  if (request.method !== 'POST') {
    throw new ApiError(405, 'method-not-allowed', 'Send messages with POST: there are no sessions here, and no stream to open.')
  }
  return caller
}

/** The request as the SDK takes it, which passes `auth` on to the tools; its type only lacks `| undefined` here and there. */
function named(request: IncomingMessage, caller: Caller): NodeIncomingMessageLike {
  return Object.assign(request, { auth: { token: '', clientId: nameOf(caller), scopes: [] } }) as NodeIncomingMessageLike
}

/** Who calls, for the log: of a key its digest's beginning, which names it and is no key. */
function nameOf(caller: Caller): string {
  return caller.kind === 'developer' ? caller.keyDigest.slice(0, 12) : caller.kind
}

function toAnswer(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: thrown })
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
