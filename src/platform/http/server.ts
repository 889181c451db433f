import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { BlockList } from 'node:net'
import cors from '@koa/cors'
import Koa from 'koa'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import { ApiError } from '../errors.ts'
import { clientReader } from '../limits/clients.ts'
import type { Client } from '../limits/clients.ts'
import type { RateLimitResult } from '../limits/rate-limiter.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { answerNotModified, brotliParams, minCompressedBytes, tagAnswers } from './caching.ts'
import {
  closeServer,
  createListener,
  isClientDisconnect,
  listen,
  serializePipelinedRequests,
  requestTarget,
} from './connections.ts'
import type { ClientTimeouts } from './connections.ts'
import { sendProblem, toApiError } from './problem.ts'
import { errors, requestLog } from './requests.ts'
import type { ErrorOptions, RequestContext, RequestState } from './requests.ts'
import { cacheResponses } from './response-cache.ts'
import type { ResponseCache } from './response-cache.ts'
import { serveRoutes } from './router.ts'
import type { RouterOptions } from './router.ts'
import { createWebSocketGate } from './websockets.ts'
import type { WebSocketOptions } from './websockets.ts'

export const apiSecurityHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

export interface AppOptions {
  /** In metrics and messages. */
  readonly service: string
  readonly unmatched?: string | undefined
  readonly log: Logger
  readonly metrics: Metrics
  /** Default: the peer address of the socket. */
  readonly clientOf?: ((request: IncomingMessage) => Client) | undefined
  /** ms, for open requests and WebSocket closes. */
  readonly closeGraceMs?: number | undefined
}

export interface HttpServerOptions extends AppOptions {
  readonly host: string
  readonly port: number
  readonly timeouts?: ClientTimeouts | undefined
}

/** Shares the port, with its own headers, errors and guards. */
export interface Mount {
  readonly answers: (request: IncomingMessage) => boolean
  readonly handle: RequestListener
  readonly close: () => Promise<void>
}

export interface HttpApp<Services> extends RouterOptions<Services>, Omit<ErrorOptions, 'log' | 'metrics'> {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly cors?: cors.Options | undefined
  /** Maps an alias of a path to the declared path. */
  readonly resolvePath?: ((path: string) => string) | undefined
  /** Undefined means no limit. */
  readonly rateLimit?: ((context: RequestContext) => Promise<RateLimitResult | undefined>) | undefined
  readonly cache?: ResponseCache | undefined
  readonly before?: readonly Middleware<RequestState>[] | undefined
  readonly page?: Middleware | undefined
  readonly mounts?: readonly Mount[] | undefined
  readonly webSockets?: WebSocketOptions | undefined
  close?(): Promise<void>
}

export interface HttpServer {
  readonly server: Server
  readonly port: number
  /** Closes WebSockets with 1001 and waits for open requests before it aborts the rest. */
  readonly close: () => Promise<void>
}

/** Matches a path and everything below it. */
export function below(path: string): (request: IncomingMessage) => boolean {
  return ({ url = '' }) => url.startsWith(path) && ['/', '?', undefined].includes(url[path.length])
}

/**
 * @param open the app, or a function that creates it once the port is known; until then requests
 *   get 503 `starting`
 * @throws the system error when the port cannot be bound; errors of `open`
 */
export async function createHttpServer<Services>(
  options: HttpServerOptions,
  open: HttpApp<Services> | ((port: number) => Promise<HttpApp<Services>>),
): Promise<HttpServer> {
  const { service, closeGraceMs = 3000 } = options
  let running: Running | undefined
  const server = createListener(
    serializePipelinedRequests((request, response) => {
      try {
        request.url = requestTarget(request)
        if (running === undefined)
          throw new ApiError(503, 'starting', `The ${service} service is starting. Try again in a moment.`)
      } catch (error) {
        sendProblem(response, toApiError(error), randomUUID())
        return
      }
      running.handle(request, response)
    }),
    options.timeouts,
  )
  const start = (app: HttpApp<Services>): Running => {
    const { gate, ...started } = run(app, options)
    if (gate !== undefined) server.on('upgrade', gate.upgrade)
    return started
  }
  try {
    if (typeof open !== 'function') running = start(open)
    const { port } = await listen(server, options)
    if (typeof open === 'function') running = start(await open(port))
    return {
      server,
      port,
      close: async () => {
        await Promise.all([closeServer(server, closeGraceMs), running?.close()])
      },
    }
  } catch (error) {
    await Promise.all([closeServer(server, 0), running?.close()])
    throw error
  }
}

interface Running {
  readonly handle: RequestListener
  readonly close: () => Promise<void>
}

/** WebSockets are not supported. */
export function createMount<Services>(path: string, options: AppOptions, app: HttpApp<Services>): Mount {
  return { answers: below(path), ...run(app, options) }
}

function run<Services>(
  app: HttpApp<Services>,
  options: AppOptions,
): Running & { readonly gate?: ReturnType<typeof createWebSocketGate> | undefined } {
  const { mounts = [], webSockets } = app
  const koa = new Koa<RequestState>()
  assemble(koa, app, options)
  const gate =
    webSockets === undefined
      ? undefined
      : createWebSocketGate(koa, {
          ...webSockets,
          log: options.log,
          clientOf: options.clientOf ?? clientReader(new BlockList()),
          resolvePath: app.resolvePath ?? ((path) => path),
          closeGraceMs: options.closeGraceMs ?? 3000,
        })
  const handle = koa.callback()
  return {
    gate,
    handle: (request, response) => {
      const mount = mounts.find(({ answers }) => answers(request))
      if (mount !== undefined) mount.handle(request, response)
      // `handle` never rejects: Koa turns errors into responses.
      else void handle(request, response)
    },
    close: async () => {
      await Promise.all([gate?.close(), app.close?.(), ...mounts.map((mount) => mount.close())])
    },
  }
}

function assemble<Services>(koa: Koa<RequestState>, app: HttpApp<Services>, options: AppOptions): void {
  const { log, metrics, service, clientOf = clientReader(new BlockList()) } = options
  const { headers = apiSecurityHeaders, resolvePath } = app
  koa.on('error', (error: unknown) =>
    log[isClientDisconnect(error) ? 'debug' : 'error']({ err: error }, 'Could not send the response'),
  )
  koa.use(requestLog({ unmatched: options.unmatched ?? `${service}: unmatched`, metrics, log, clientOf }))
  if (app.cors !== undefined) koa.use(cors(app.cors))
  koa.use(async (context, next) => {
    context.set(headers)
    await next()
  })
  koa.use(compress({ threshold: minCompressedBytes, br: { params: brotliParams } }))
  koa.use(errors({ ...app, log, metrics }))
  if (app.rateLimit !== undefined) koa.use(rateLimit(app.rateLimit))
  koa.use(answerNotModified())
  if (app.cache !== undefined) koa.use(cacheResponses(app.cache))
  koa.use(tagAnswers())
  for (const middleware of app.before ?? []) koa.use(middleware)
  if (resolvePath !== undefined)
    koa.use(async (context, next) => {
      context.path = resolvePath(context.path)
      await next()
    })
  serveRoutes(koa, app)
  if (app.page !== undefined) koa.use(app.page as Middleware<RequestState>)
}

/**
 * Headers: draft-ietf-httpapi-ratelimit-headers, whose `w` is the seconds in which an empty bucket
 * refills.
 */
function rateLimit(take: (context: RequestContext) => Promise<RateLimitResult | undefined>): Middleware<RequestState> {
  return async (context, next) => {
    const verdict = await take(context)
    if (verdict !== undefined) {
      const { policy, allowance, remaining, fullInSeconds, nextInSeconds, isAllowed } = verdict
      const { rate, burst } = allowance
      context.set({
        'RateLimit-Policy': `"${policy}";q=${burst};w=${Math.max(1, Math.ceil(burst / rate))}`,
        RateLimit: `"${policy}";r=${remaining};t=${fullInSeconds}`,
      })
      if (!isAllowed) {
        const subject = policy === 'key' ? 'per key' : 'per address'
        throw new ApiError(
          429,
          'rate-limited',
          `Too many requests: the limit is ${rate} a second with bursts of ${burst} ${subject}. Try again in ` +
            `${nextInSeconds} s.`,
          { details: { retryAfterSeconds: nextInSeconds } },
        )
      }
    }
    await next()
  }
}
