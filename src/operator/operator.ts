import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { listDrills } from '../farm/drills.ts'
import { readFarmOverview } from '../farm/overview/farm-overview.ts'
import type { KnownCoverage, OverviewBounds } from '../farm/overview/farm-overview.ts'
import type { StagePlan } from '../farm/overview/stage-plan.ts'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import { ApiError, FatalError, RetryableError } from '../platform/errors.ts'
import { requireSameOrigin } from '../platform/http/guards.ts'
import { databaseUnavailable } from '../platform/http/problem.ts'
import type { RequestContext, RequestState } from '../platform/http/requests.ts'
import { guard } from '../platform/http/router.ts'
import { createMount } from '../platform/http/server.ts'
import type { Mount } from '../platform/http/server.ts'
import { clientReader } from '../platform/limits/clients.ts'
import type { Client } from '../platform/limits/clients.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { securityHeaders, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'
import { OperatorAccess, sessionCookie } from './access.ts'
import type { Access } from './access.ts'
import { boardPath, QueueBoard } from './bull-board.ts'
import type { OpenQueues } from './bull-board.ts'
import { EventStreams, OverviewFeed } from './overview-feed.ts'
import { apiPath, operatorPath } from './route.ts'
import type { OperatorServices } from './route.ts'
import { operatorDocuments, operatorRoutes } from './routes.ts'

export interface OperatorOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly metrics: Metrics
  readonly credentials: CredentialOptions
  /** Failed logins are counted by its address. */
  readonly clientOf?: (request: IncomingMessage) => Client
  readonly plans: () => Promise<readonly StagePlan[]>
  readonly bounds: () => OverviewBounds
  readonly stuckSessions?: () => number
  readonly pages: Pages
  readonly queues: { readonly backend: 'postgres' | 'redis'; readonly open: () => Promise<OpenQueues> }
  readonly version: string
  /** Milliseconds; 0 reads for every request. Default 1,000. */
  readonly pauseMs?: number
}

interface Operator {
  /** `open`: local requests need no login. */
  readonly access: 'open' | 'token'
  readonly mount: Mount
}

export function createOperator(options: OperatorOptions): Operator {
  const { pool, log, metrics, plans, clientOf = clientReader(new BlockList()) } = options
  const known: KnownCoverage = new Map()
  const feed = new OverviewFeed({
    read: async () => readFarmOverview(pool, await plans(), options.bounds(), known),
    readDrills: () => listDrills(pool),
    stuckSessions: options.stuckSessions,
    version: options.version,
    queues: options.queues.backend,
    log,
    ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
  })
  const streams = new EventStreams(feed)
  const board = new QueueBoard(options.queues.open, pool)
  const access = new OperatorAccess(options.credentials, (request) => clientOf(request).address)
  const mount = createMount<OperatorServices>(
    operatorPath,
    { service: 'operator', unmatched: 'operator', log, metrics, clientOf },
    {
      routes: [...operatorRoutes, ...operatorDocuments],
      services: { pool, plans, feed, streams, access, log },
      guards: {
        operator: guard(async ({ request, cookie }, { method }) => {
          const admission = await access.require(request, cookie(sessionCookie))
          if (method !== 'GET') requireSameOrigin(request)
          return admission
        }),
        session: guard(({ request }, { method }) => {
          access.requireLocalIfOpen(request)
          if (method !== 'GET') requireSameOrigin(request)
        }),
      },
      before: [securityHeaders()],
      page: servePages(options.pages, board, access) as Middleware,
      translate: translateError,
      retrySeconds: 1,
      home: operatorPath,
      close: async () => {
        streams.close()
        await board.close()
      },
    },
  )
  return { access: access.mode, mount }
}

function servePages(pages: Pages, board: QueueBoard, access: OperatorAccess): Middleware<RequestState> {
  return async (context, next) => {
    const { path } = context
    if (isAt(path, boardPath)) {
      context.state.route = boardPath
      if (await admitToBoard(context, access)) await board.serve(context, next)
    } else if (!isAt(path, apiPath) && ['GET', 'HEAD'].includes(context.method)) {
      context.state.route = operatorPath
      await servePage(context, pages, path.slice(operatorPath.length).replace(/^\/+/, ''))
    }
  }
}

async function admitToBoard(context: RequestContext, access: OperatorAccess): Promise<Access | undefined> {
  const isRead = ['GET', 'HEAD'].includes(context.method)
  try {
    const admission = await access.require(context.req, context.cookies.get(sessionCookie))
    if (!isRead) requireSameOrigin(context.req)
    return admission
  } catch (error) {
    const isBrowser = context.method === 'GET' && context.accepts('json', 'html') === 'html'
    if (!(error instanceof ApiError) || error.status !== 401 || !isBrowser) throw error
    context.redirect(operatorPath)
    return undefined
  }
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}

function translateError(error: unknown): ApiError | undefined {
  const known = asDatabaseError(error)
  if (known.code === 'queue-unavailable') return new ApiError(503, known.code, known.message, { cause: error })
  if (known instanceof RetryableError) {
    return new ApiError(503, databaseUnavailable, 'Database unavailable. Try again in a moment.', { cause: error })
  }
  if (error instanceof FatalError && error.code !== 'database-error') {
    return new ApiError(500, error.code, error.message, { cause: error })
  }
  return undefined
}
