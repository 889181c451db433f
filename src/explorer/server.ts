import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { DatabasePool } from 'slonik'
import type { Network } from '../flow/network.ts'
import type { Accounts } from '../platform/auth/accounts.ts'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import type { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import { ApiError } from '../platform/errors.ts'
import { pageAddress } from '../platform/http/connections.ts'
import type { ClientTimeouts } from '../platform/http/connections.ts'
import type { ErrorForm } from '../platform/http/problem.ts'
import type { ResponseCache } from '../platform/http/response-cache.ts'
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
import { ownerGuards } from './webhooks/endpoint-routes.ts'
import type { WebhookStores } from '../webhooks/webhook-stores.ts'
import { csvLimits } from './accounts/tax-report.ts'
import type { CsvLimits } from './accounts/tax-report.ts'
import type { AdminOperations } from './admin/operations.ts'
import { ContractReader } from './evm/contract-reads.ts'
import type { ContractVerifier } from './evm/verification/verifier.ts'
import { AdminGate, adminGuard, countRequests } from './guards.ts'
import { declaredPath, isPageRequest, topLevelSegments } from './paths.ts'
import { ChainUnavailableError } from './present-chain.ts'
import type { PresentChain } from './present-chain.ts'
import type { Route, Services } from './route.ts'
import { routes as allRoutes } from './routes.ts'
import { DatabaseHealth } from './status/queries.ts'
import type { StatusReader } from './status/queries.ts'

export interface ApiServerOptions {
  readonly database: DatabasePool
  readonly expensiveReads: DatabasePool
  readonly metrics: Metrics
  readonly log: Logger
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly network: () => Network
  readonly chain: PresentChain
  readonly status: StatusReader
  /** MAX_REORG_DEPTH. */
  readonly maxReorgDepth: number
  /** WS_MAX_CONNECTIONS_PER_IP. */
  readonly maxWebSocketsPerAddress: number
  /** Default 64 KiB. */
  readonly maxWebSocketMessageBytes?: number
  readonly feeds: Readonly<Record<string, Feed>>
  readonly mounts?: readonly Mount[]
  /** Served at `/` and to browsers at paths outside of the API. */
  readonly page?: Omit<Mount, 'answers'>
  /** Return 500 if a response violates its schema. */
  readonly checkResponses: boolean
  readonly routes?: readonly Route[]
  /** Default: address of the socket. */
  readonly clientOf?: (request: IncomingMessage) => Client
  /** Default: unlimited. */
  readonly rateLimit?: RateLimitOptions
  /** Default: developer keys are ignored. */
  readonly keys?: DeveloperKeys
  readonly accounts?: Accounts
  readonly webhooks?: WebhookStores
  /** Default: uploads of sources are disabled. */
  readonly verifier?: ContractVerifier
  /** Default: admin routes are disabled. */
  readonly admin?: {
    readonly credentials: CredentialOptions
    readonly operations: AdminOperations
    /** Default: ten per minute and client. */
    readonly failures?: FailureLimit
  }
  readonly csvLimits?: CsvLimits
  /** Default: no caching. */
  readonly responseCache?: ResponseCache
  readonly timeouts?: ClientTimeouts
  /** Default 3,000. */
  readonly closeGraceMs?: number
}

const expensiveCalls: SlotsOptions = {
  what: 'expensive calls',
  max: 8,
  maxPerClient: 4,
  maxWaiting: 200,
  maxWaitingPerClient: 20,
  maxWaitMs: 5000,
}

const noRateLimit: RateLimitOptions = { rps: 0, ttlMinutes: 15, trustedRps: 0, trustedAddresses: new BlockList() }

/** @throws if the port cannot be bound; mounts are closed before */
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
    verifier: options.verifier,
    contractReader: new ContractReader(options.chain),
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
        ...ownerGuards(services),
      },
      caching: 'revalidate',
      checkResponses: options.checkResponses,
      cache: options.responseCache,
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
      // Already logged.
      isExpected: (error) => error.cause instanceof ChainUnavailableError,
      unknownPath: (path) => `Path ${path} does not exist. See /docs for the API reference.`,
      challenge: 'Bearer',
      retrySeconds: 1,
      home: '/',
      mounts:
        page === undefined ? mounts : [...mounts, { ...page, answers: (request) => isPageRequest(request, topLevel) }],
      webSockets: {
        feeds: options.feeds,
        maxConnectionsPerAddress: options.maxWebSocketsPerAddress,
        maxMessageBytes: options.maxWebSocketMessageBytes,
        admit: (_request, { isLocal, address }) => {
          const verdict = isLocal ? undefined : limiter.takeForAddress(address)
          if (verdict === undefined || verdict.isAllowed) return
          throw new ApiError(429, 'rate-limited', `Too many attempts. Try again in ${verdict.nextInSeconds} s.`, {
            details: { retryAfterSeconds: verdict.nextInSeconds },
          })
        },
      },
      close: () => health.stop(),
    },
  )
  const { port } = server
  log.info({ url: pageAddress(options.host, port), host: options.host, port }, 'API listening')
  return server
}

/** By the first three path segments, also for unknown paths. */
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
