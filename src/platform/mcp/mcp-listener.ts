import type { IncomingMessage } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { problemOf } from '../http/problem.ts'
import type { ErrorForm } from '../http/problem.ts'
import type { RequestState } from '../http/requests.ts'
import { routesOf } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { guard } from '../http/router.ts'
import { createHttpServer } from '../http/server.ts'
import type { HttpServer, HttpServerOptions } from '../http/server.ts'
import { allowedOriginOf, requireKnownOrigin } from './origin-rules.ts'
import type { OriginRules } from './origin-rules.ts'

interface AdmittedCaller {
  /** Identifies the caller but contains no key. Tools read it from `authInfo.clientId`. */
  readonly name: string
  /** Tools read it from `authInfo.extra`. */
  readonly client?: string | undefined
  /** Owner of rows that the caller stores. */
  readonly owner?: string | undefined
  /** @throws ApiError 429 */
  readonly count: (requests: number) => void
}

export interface McpListenerOptions extends HttpServerOptions {
  /** By path, such as `/mcp`. */
  readonly protocols: Readonly<Record<string, McpHttpHandler>>
  /** @throws ApiError for callers that are not admitted */
  readonly admit: (request: IncomingMessage) => Promise<AdmittedCaller>
  readonly origins: OriginRules
}

export type McpListener = Pick<HttpServer, 'port' | 'close'>

/** Tool calls may run for minutes before the first byte of the response. */
const defaultTimeouts = { headMs: 10_000, requestMs: 30_000, stalledMs: 600_000 } as const

const maxBodyBytes = 1024 * 1024

const healthPath = '/health'

const route = routesOf<undefined, { caller: AdmittedCaller }>()

const healthRoute = route({
  method: 'GET',
  path: healthPath,
  operationId: 'getHealth',
  tag: 'Service',
  summary: 'Liveness',
  response: z.strictObject({ status: z.string() }),
  handler: () => ({ body: { status: 'ok' } }),
})

/** @throws the system error when the port cannot be bound */
export async function startMcpListener({
  protocols,
  admit,
  origins,
  ...options
}: McpListenerOptions): Promise<McpListener> {
  const { log, metrics } = options
  const onerror = (err: Error): void => log.error({ err }, 'MCP request failed')
  const { port, close } = await createHttpServer<undefined>(
    { timeouts: defaultTimeouts, ...options },
    {
      routes: [
        healthRoute,
        ...Object.entries(protocols).map(([path, protocol]) =>
          protocolRoute(path, toNodeHandler(protocol, { onerror })),
        ),
      ],
      services: undefined,
      guards: { caller: guard(({ request }) => admit(request)) },
      headers: { 'X-Content-Type-Options': 'nosniff' },
      before: [
        async (_context, next) => {
          try {
            await next()
          } catch (error) {
            metrics.mcpRefused.inc({ reason: error instanceof ApiError ? error.code : 'internal-error' })
            throw error
          }
        },
        crossOrigin(origins),
      ],
      errorFormOf: () => jsonRpcForm,
      unknownPath: () => `Unknown path. MCP is served at ${Object.keys(protocols).join(' and ')}.`,
      retrySeconds: 1,
    },
  )
  return {
    port,
    close: async () => {
      await close()
      await Promise.all(Object.values(protocols).map((protocol) => protocol.close()))
    },
  }
}

function protocolRoute(path: string, speak: ReturnType<typeof toNodeHandler>): Route<undefined> {
  return route({
    method: 'POST',
    path,
    operationId: 'postMessages',
    tag: 'MCP',
    summary: 'MCP messages',
    access: 'caller',
    errorForm: jsonRpcForm,
    maxBodyBytes,
    body: z.unknown(),
    handler: ({ body, caller: { name, client, owner, count }, call: { request } }) => {
      count(countRequests(body))
      // The SDK's type lacks `| undefined` in places.
      const auth = { token: '', clientId: name, scopes: [], extra: { client, owner } }
      const named = Object.assign(request, { auth }) as NodeIncomingMessageLike
      return { body: (response) => speak(named, response, body) }
    },
  })
}

/**
 * Each request of a batch counts; notifications and responses are free; an invalid body counts as
 * one.
 */
function countRequests(body: unknown): number {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.filter((message) => !needsNoResponse(message)).length
}

function needsNoResponse(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  return 'method' in message ? !('id' in message) : 'result' in message || 'error' in message
}

function crossOrigin(rules: OriginRules): Middleware<RequestState> {
  return async (context, next) => {
    if (context.path !== healthPath) {
      requireKnownOrigin(context.req.headers, rules)
      const origin = allowedOriginOf(context.req.headers, rules)
      context.vary('Origin')
      if (origin !== undefined)
        context.set({
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Expose-Headers':
            'Mcp-Session-Id, MCP-Protocol-Version, Retry-After, WWW-Authenticate, X-Request-Id',
        })
      if (context.method === 'OPTIONS') {
        if (origin !== undefined)
          context.set({
            'Access-Control-Allow-Methods': 'POST, OPTIONS',
            // The headers of a client depend on its protocol revision.
            'Access-Control-Allow-Headers': context.get('Access-Control-Request-Headers') || '*',
            'Access-Control-Max-Age': '600',
          })
        context.status = 204
        return
      }
    }
    await next()
  }
}

/** JSON-RPC 2.0, section 5.1. */
const serverError = -32_000

/** A JSON-RPC error without an id, whose `data` is an RFC 9457 problem. */
const jsonRpcForm: ErrorForm = {
  schema: z.unknown(),
  contentType: 'application/json',
  bodyOf: (error, requestId) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: serverError, message: error.message, data: problemOf(error, requestId) },
  }),
  headersOf: ({ code }, { complete }) => ({
    // RFC 6750, section 3: a request without credentials gets no error code.
    ...(code === 'bad-key' ? { 'WWW-Authenticate': 'Bearer realm="flowfarm", error="invalid_token"' } : {}),
    // The rest of the body is not read.
    ...(complete ? {} : { Connection: 'close' }),
  }),
}
