import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { DatabasePool } from 'slonik'
import type { Network } from '../flow/network.ts'
import type { Accounts } from '../platform/auth/accounts.ts'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import type { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import { pageAddress } from '../platform/http/connections.ts'
import type { Patience } from '../platform/http/connections.ts'
import type { ErrorForm } from '../platform/http/problem.ts'
import type { ResponseCache } from '../platform/http/response-cache.ts'
import { guard } from '../platform/http/router.ts'
import { createHttpServer } from '../platform/http/server.ts'
import type { HttpServer, Mount } from '../platform/http/server.ts'
import type { Feed } from '../platform/http/websockets.ts'
import { clientReader } from '../platform/limits/clients.ts'
import type { Client } from '../platform/limits/clients.ts'
import { RateLimiter } from '../platform/limits/rate-limiter.ts'
import type { RateLimitOptions } from '../platform/limits/rate-limiter.ts'
import type { FailureLimit } from '../platform/limits/sliding-window.ts'
import { Slots } from '../platform/limits/slots.ts'
import type { SlotsOptions } from '../platform/limits/slots.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { WebhookStores } from '../webhooks/webhook-stores.ts'
import { csvLimits } from './accounts/tax-report.ts'
import type { CsvLimits } from './accounts/tax-report.ts'
import type { AdminOperations } from './admin/operations.ts'
import { AdminGate, adminGuard, countRequests } from './guards.ts'
import { declaredPath, isPageRequest, topLevelSegments } from './paths.ts'
import { ChainSilentError } from './present-chain.ts'
import type { PresentChain } from './present-chain.ts'
import type { Route, Services } from './route.ts'
import { routes as allRoutes } from './routes.ts'
import { DatabaseHealth } from './status/queries.ts'
import type { StatusReader } from './status/queries.ts'

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
  /** The explorer page, at `/` and for paths that are not of the API, when a browser asks for them. Default: none. */
  readonly page?: Omit<Mount, 'answers'>
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
  readonly kept?: ResponseCache
  /** How long slow clients are waited for. */
  readonly patience?: Patience
  /** How long `close` waits for requests, and clients of feeds for their close, in milliseconds. Default 3,000. */
  readonly closeGraceMs?: number
}

/** Calls of expensive routes, which have connections of their own. A page makes a few at the same time. */
const expensiveCalls: SlotsOptions = {
  what: 'expensive calls',
  max: 8,
  maxPerClient: 4,
  maxWaiting: 200,
  maxWaitingPerClient: 20,
  maxWaitMs: 5000,
}

const noRateLimit: RateLimitOptions = { rps: 0, ttlMinutes: 15, trustedRps: 0, trustedAddresses: new BlockList() }

/**
 * Starts the explorer API.
 * @throws what the system says when the port cannot be bound; the mounts are closed then too
 */
export async function createApiServer(options: ApiServerOptions): Promise<HttpServer> {
  const { log, routes = allRoutes, mounts = [], page, keys } = options
  const topLevel = topLevelSegments([...routes.map((route) => route.path), ...Object.keys(options.feeds)])
  const resolvePath = (path: string): string => declaredPath(path, topLevel)
  const clientOf = options.clientOf ?? clientReader(new BlockList())
  const limiter = new RateLimiter(options.rateLimit ?? noRateLimit)
  const health = new DatabaseHealth(options.database)
  await health.start()
  const services: Services = {
    ...options,
    keys,
    accounts: options.accounts,
    webhooks: options.webhooks,
    health: () => health.get(),
    admin: options.admin?.operations,
    csvLimits: options.csvLimits ?? csvLimits,
  }
  const server = await createHttpServer<Services>(
    { ...options, service: 'api', unmatched: 'unmatched', clientOf },
    {
      routes,
      services,
      expensive: { slots: new Slots(expensiveCalls), services: { ...services, database: options.expensiveReads } },
      guards: {
        admin: adminGuard(new AdminGate(options.admin?.credentials, options.admin?.failures), log),
        // The handlers check the key, after their parameters.
        owner: guard(() => undefined),
      },
      caching: 'revalidate',
      checkResponses: options.checkResponses,
      cache: options.kept,
      rateLimit: countRequests({ limiter, keys, routes, resolvePath }),
      resolvePath,
      headers: { 'X-Content-Type-Options': 'nosniff' },
      cors: {
        origin: '*',
        allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
        allowHeaders: ['Content-Type', 'Authorization', 'X-API-Key'],
        exposeHeaders: ['Content-Location', 'ETag', 'X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
        maxAge: 86_400,
      },
      errorFormOf: errorForms(routes, resolvePath),
      // That nodes are silent is in the log already, once.
      isExpected: (error) => error.cause instanceof ChainSilentError,
      unknownPath: (path) => `There is nothing at ${path}; /docs lists what there is.`,
      challenge: 'Bearer',
      retrySeconds: 1,
      home: '/',
      mounts:
        page === undefined ? mounts : [...mounts, { ...page, answers: (request) => isPageRequest(request, topLevel) }],
      webSockets: {
        feeds: options.feeds,
        maxConnectionsPerAddress: options.maxWebSocketsPerAddress,
        maxMessageBytes: options.maxWebSocketMessageBytes,
        waitOf: ({ isLocal, address }) => {
          const verdict = isLocal ? undefined : limiter.takeForAddress(address)
          return verdict === undefined || verdict.isAllowed ? undefined : verdict.nextInSeconds
        },
      },
      close: () => health.stop(),
    },
  )
  const { port } = server
  log.info({ url: pageAddress(options.host, port), host: options.host, port }, 'the API listens')
  return server
}

/** The form of errors by path: that of the routes at its first three segments, also where no route is. */
function errorForms(
  routes: readonly Route[],
  resolvePath: (path: string) => string,
): (path: string) => ErrorForm | undefined {
  const beginning = (path: string): string => path.split('/', 4).join('/')
  const forms = new Map(
    routes.flatMap(({ path, errorForm }) => (errorForm === undefined ? [] : [[beginning(path), errorForm] as const])),
  )
  return (path) => forms.get(beginning(resolvePath(path)))
}
