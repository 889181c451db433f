import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { BlockList } from 'node:net'
import type { AddressInfo } from 'node:net'
import cors from '@koa/cors'
import Koa from 'koa'
import compress from 'koa-compress'
import type { DatabasePool } from 'slonik'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import type { Accounts } from '../platform/auth/accounts.ts'
import type { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import type { FailureLimit } from '../platform/auth/failure-limit.ts'
import { hasLeftEarly } from '../platform/left-early.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Network } from '../flow/network.ts'
import type { WebhookStores } from '../webhooks/webhook-stores.ts'
import type { PresentChain } from './present-chain.ts'
import { AdminGate } from './admin/gate.ts'
import type { AdminOperations } from './admin/operations.ts'
import { clientReader } from '../platform/client-address.ts'
import type { Client } from '../platform/client-address.ts'
import { DatabaseHealth } from './status/queries.ts'
import type { Health, StatusReader } from './status/queries.ts'
import { brotliParams, leastCompressedBytes } from './http/encodings.ts'
import { csvLimits } from './accounts/tax-report.ts'
import type { CsvLimits } from './accounts/tax-report.ts'
import { RateLimiter } from './limits/rate-limiter.ts'
import type { RateLimitOptions } from './limits/rate-limiter.ts'
import type { KeptAnswers } from './kept/kept-answers.ts'
import { answerNotModified, tagAnswers } from './middleware/caching.ts'
import { keepAnswers } from './middleware/keep-answers.ts'
import { problems } from './middleware/problems.ts'
import { rateLimit } from './middleware/rate-limit.ts'
import { requestLog } from './middleware/request-log.ts'
import type { RequestState } from './middleware/request-log.ts'
import { isPageRequest } from './http/page-request.ts'
import { declaredPath, topLevelSegments } from './http/paths.ts'
import { oneAtATime } from './http/one-at-a-time.ts'
import { sendProblem, toApiError } from './http/problem.ts'
import { requestTarget } from './http/request-target.ts'
import type { Route } from './route.ts'
import { routes as allRoutes } from './routes.ts'
import { serveRoutes } from './router.ts'
import { createWebSocketGate } from './http/websocket-gate.ts'
import type { Feed } from './http/websocket-gate.ts'

export interface ApiServerOptions {
  readonly database: DatabasePool
  /** Connections of expensive calls, which no other call has to wait for. */
  readonly expensiveReads: DatabasePool
  readonly metrics: Metrics
  readonly log: Logger
  /** Address to bind. */
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly network: () => Network
  readonly chain: PresentChain
  readonly status: StatusReader
  /** MAX_REORG_DEPTH: nothing deeper below the highest stored block is ever replaced. */
  readonly maxReorgDepth: number
  /** WS_MAX_CONNECTIONS_PER_IP. */
  readonly maxWebSocketsPerAddress: number
  /** Longest message of a WebSocket client, in bytes. Default 64 KiB. */
  readonly maxWebSocketMessageBytes?: number
  /** WebSocket feeds by path. */
  readonly feeds: Readonly<Record<string, Feed>>
  readonly mounts?: readonly Mount[]
  /** The explorer page, at `/` and wherever a browser asks for what is no path of the API. Default: there is none. */
  readonly page?: Pick<Mount, 'handle' | 'close'>
  /** Whether an answer that breaks its own schema is an error 500; for development and tests. */
  readonly checkResponses: boolean
  /** Default: all routes. */
  readonly routes?: readonly Route[]
  /** Who asks, as far as limits are concerned. Default: the other end of the socket. */
  readonly clientOf?: (request: IncomingMessage) => Client
  /** How often one may ask. Default: without limit. */
  readonly rateLimit?: RateLimitOptions
  /** Default: keys are not known, and change nothing. */
  readonly keys?: DeveloperKeys
  /** Default: people and their keys are not known. */
  readonly accounts?: Accounts
  /** Default: webhooks are not managed here. */
  readonly webhooks?: WebhookStores
  /** Who may call the admin routes, and what these do. Default: nobody may. */
  readonly admin?: {
    readonly credentials: CredentialOptions
    readonly operations: AdminOperations
    /** How often a client may show wrong credentials. Default: ten times a minute. */
    readonly failures?: FailureLimit
  }
  /** Limits of CSV files. Default: `csvLimits`. */
  readonly csvLimits?: CsvLimits
  /** Answers that are given again until something is committed. Default: none are. */
  readonly kept?: KeptAnswers
  /** How long slow clients are waited for. */
  readonly patience?: Patience
  /** How long `close` waits for requests, and clients of feeds for their close, in milliseconds. Default 3,000. */
  readonly closeGraceMs?: number
}

/** Times in milliseconds that a client may take. */
export interface Patience {
  /** To send the head of a request. */
  readonly headMs: number
  /** To send all of a request. */
  readonly requestMs: number
  /** To take something of its answer. */
  readonly stalledMs: number
}

const defaultPatience: Patience = { headMs: 10_000, requestMs: 30_000, stalledMs: 60_000 }

/** Something else on the same port that answers for itself: with its own headers, errors and guard, and without ours. */
export interface Mount {
  /** It gets this path and all below it. */
  readonly path: string
  readonly handle: RequestListener
  /** Ends what would not end by itself. */
  close(): Promise<void>
}

export interface ApiServer {
  readonly server: Server
  readonly port: number
  /** Takes no more requests, closes feeds with 1001, waits for what runs, ends the rest. */
  close(): Promise<void>
}

/**
 * Starts the explorer API.
 * @throws what the system says when the port cannot be bound; the mounts are closed then too
 */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { log, routes = allRoutes, mounts = [], page, closeGraceMs = 3000, patience = defaultPatience } = options
  const topLevel = topLevelSegments([...routes.map((route) => route.path), ...Object.keys(options.feeds)])
  const resolvePath = (path: string): string => declaredPath(path, topLevel)
  const clientOf = options.clientOf ?? clientReader(new BlockList())
  const limiter = new RateLimiter(options.rateLimit ?? noRateLimit)
  const databaseHealth = new DatabaseHealth(options.database)
  await databaseHealth.start()
  const app = createApplication(options, { routes, resolvePath, clientOf, limiter, health: () => databaseHealth.get() })
  const gate = createWebSocketGate(app, {
    log,
    feeds: options.feeds,
    resolvePath,
    clientOf,
    waitOf: ({ isLocal, address }) => {
      const verdict = isLocal ? undefined : limiter.takeForAddress(address)
      return verdict === undefined || verdict.isAllowed ? undefined : verdict.nextInSeconds
    },
    maxConnectionsPerAddress: options.maxWebSocketsPerAddress,
    maxMessageBytes: options.maxWebSocketMessageBytes ?? 64 * 1024,
    closeGraceMs,
  })
  const handle = app.callback()
  const server = createServer(
    {
      // Whoever sends the head of a request slower than this has nothing to ask.
      headersTimeout: patience.headMs,
      requestTimeout: patience.requestMs,
      // Node looks that seldom whether these are over.
      connectionsCheckingInterval: Math.min(1000, patience.headMs),
      // Longer than the minute for which proxies usually keep idle connections, so that they close first.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // Others ask for HTTP/2 (`h2c`), as clients in Java do with every request, and take an answer in HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    oneAtATime((request, response) => {
      try {
        request.url = requestTarget(request)
      } catch (error) {
        sendProblem(response, toApiError(error), randomUUID())
        return
      }
      const mount =
        mounts.find(({ path }) => isBelow(request.url ?? '', path)) ??
        (page !== undefined && isPageRequest(request, topLevel) ? page : undefined)
      if (mount !== undefined) mount.handle(request, response)
      // What `handle` throws became an answer inside.
      else void handle(request, response)
    }),
  )
  // Longer than any answer takes: nothing went to or fro, so who asked is gone. WebSockets have pings of their own.
  server.timeout = patience.stalledMs
  server.on('upgrade', gate.upgrade)
  const closeOthers = async (): Promise<void> => {
    await Promise.all([databaseHealth.stop(), gate.close(), page?.close(), ...mounts.map((mount) => mount.close())])
  }
  try {
    await listen(server, options.host, options.port)
  } catch (error) {
    // They are ours from when they were given.
    await closeOthers()
    throw error
  }
  const { port } = server.address() as AddressInfo
  log.info({ url: pageAddress(options.host, port), host: options.host, port }, 'the API listens')
  const close = async (): Promise<void> => {
    await Promise.all([closeServer(server, closeGraceMs), closeOthers()])
  }
  return { server, port, close }
}

/** Whether the target of a request is a path or below it. */
function isBelow(url: string, path: string): boolean {
  return url.startsWith(path) && ['/', '?', undefined].includes(url[path.length])
}

const noRateLimit: RateLimitOptions = { rps: 0, ttlMinutes: 15, trustedRps: 0, trustedAddresses: new BlockList() }

interface ApplicationParts {
  readonly routes: readonly Route[]
  readonly resolvePath: (path: string) => string
  readonly clientOf: (request: IncomingMessage) => Client
  readonly limiter: RateLimiter
  readonly health: () => Health
}

function createApplication(options: ApiServerOptions, parts: ApplicationParts): Koa<RequestState> {
  const { routes, resolvePath, clientOf, limiter, health } = parts
  const { database, expensiveReads, metrics, log, network, chain, status, maxReorgDepth, checkResponses } = options
  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) =>
    log[hasLeftEarly(error) ? 'debug' : 'error']({ err: error }, 'an answer could not be sent'),
  )
  app.use(requestLog(metrics, log, clientOf))
  app.use(
    cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      allowHeaders: ['Content-Type', 'Authorization', 'X-API-Key'],
      exposeHeaders: ['Content-Location', 'ETag', 'X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
      maxAge: 86_400,
    }),
  )
  app.use(async (context, next) => {
    context.set('X-Content-Type-Options', 'nosniff')
    await next()
  })
  // zstd goes first where clients take several, as in `preferredEncoding`. What is kept comes compressed.
  app.use(compress({ threshold: leastCompressedBytes, br: { params: brotliParams } }))
  const tellsMessages = messagePaths(routes)
  app.use(problems(log, (path) => tellsMessages(resolvePath(path))))
  app.use(
    rateLimit({
      limiter,
      keys: options.keys,
      resolvePath,
      unlimitedPaths: new Set(routes.filter((route) => !route.isLimited).map(({ path }) => path)),
      keyPaths: new Set(routes.filter(({ checksKey }) => checksKey === true).map(({ path }) => path)),
    }),
  )
  app.use(answerNotModified())
  if (options.kept !== undefined) app.use(keepAnswers(options.kept))
  app.use(tagAnswers())
  const adminGate = new AdminGate(options.admin?.credentials, options.admin?.failures)
  serveRoutes(
    app,
    routes,
    {
      database,
      metrics,
      network,
      chain,
      health,
      status,
      maxReorgDepth,
      routes,
      keys: options.keys,
      accounts: options.accounts,
      admin: options.admin?.operations,
      webhooks: options.webhooks,
      csvLimits: options.csvLimits ?? csvLimits,
    },
    { expensiveReads, checkResponses, adminGate, log },
  )
  return app
}

/** Tells the paths whose routes tell errors as messages, also those below them that are no route. */
function messagePaths(routes: readonly Route[]): (path: string) => boolean {
  const beginning = (path: string): string => path.split('/', 4).join('/')
  const told = new Set(routes.filter((route) => route.errorForm === 'message').map((route) => beginning(route.path)))
  return (path) => told.has(beginning(path))
}

/** Where a browser on this machine finds a server that listens on `host`. */
export function pageAddress(host: string, port: number): string {
  const isEvery = ['0.0.0.0', '::', ''].includes(host)
  return `http://${isEvery ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port }, resolve)
  await promise
  server.off('error', reject)
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed.promise
  clearTimeout(force)
}
