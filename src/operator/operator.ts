import type { IncomingMessage, RequestListener } from 'node:http'
import { constants } from 'node:zlib'
import { Router } from '@koa/router'
import Koa from 'koa'
import compress from 'koa-compress'
import type pg from 'pg'
import { z } from 'zod'
import { listDrills } from '../farm/drills.ts'
import { cellBorders, partsPerCell } from '../farm/overview/pace.ts'
import { readFarmOverview } from '../farm/overview/farm-overview.ts'
import type { KnownCoverage, OverviewBounds } from '../farm/overview/farm-overview.ts'
import { countIndexingErrors, listIndexingErrors } from '../platform/db/indexing-errors.ts'
import type { StagePlan } from '../farm/overview/stage-plan.ts'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import { ApiError } from '../platform/errors.ts'
import type { ErrorPlace } from '../platform/db/indexing-errors.ts'
import { hasLeftEarly } from '../platform/http/connections.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { readJson } from '../platform/http/read-json.ts'
import { Guard, sessionCookie } from './access/guard.ts'
import type { Access } from './access/guard.ts'
import { requireSameOrigin } from '../platform/http/guards.ts'
import { boardPath, QueueBoard } from './bull-board.ts'
import type { OpenQueues } from './bull-board.ts'
import { heightParameter, numberParameter, requireHeights } from './http/inputs.ts'
import { operatorRoute } from './http/operator-route.ts'
import { maxBodyBytes, requests } from './http/requests.ts'
import type { OperatorContext, RequestState } from './http/requests.ts'
import { securityHeaders, servePage } from '../platform/pages/serve-page.ts'
import { workerNames } from './operator-parts.ts'
import type { OperatorParts } from './operator-parts.ts'
import { EventStreams } from './overview/event-streams.ts'
import { OverviewFeed } from './overview/overview-feed.ts'
import type { Pages } from '../platform/pages/serve-page.ts'
import { drillRoutes } from './routes/drills.ts'
import { heightRoutes } from './routes/heights.ts'
import { leaseRoutes } from './routes/leases.ts'
import { rederiveRoute } from './routes/rederive.ts'
import { session } from './routes/session.ts'

/** `GET /overview`: how far everything is. */
const overviewRoute = operatorRoute({
  method: 'GET',
  path: '/overview',
  handler: async (_input, { feed }) => (await feed.current()).overview,
})

/** `GET /coverage`: a picture of what is done along the chain, in cells, of all that is stored or of a part of it. */
const coverageRoute = operatorRoute({
  method: 'GET',
  path: '/coverage',
  query: z.object({
    cells: numberParameter(1, 4000).default(400),
    from: heightParameter.optional(),
    to: heightParameter.optional(),
  }),
  handler: async ({ query }, { feed }) => {
    const { overview, heights } = await feed.current()
    const from = query.from ?? overview.stored?.from ?? 0
    const to = query.to ?? Math.max(from, overview.stored?.to ?? 0)
    if (query.to !== undefined) requireHeights({ from, to }, 'invalid-parameter')
    const borders = cellBorders({ from, to }, query.cells)
    return {
      from,
      to,
      cells: borders.length - 1,
      stages: [...heights].map(([name, { covered, active, failing, skipped }]) => ({
        name,
        done: partsPerCell(covered, borders),
        active: partsPerCell(active, borders),
        failing: partsPerCell(failing, borders),
        skipped: partsPerCell(skipped, borders),
      })),
    }
  },
})

/** `GET /errors`: inputs that could not be decoded or derived, the latest first. */
const errorsRoute = operatorRoute({
  method: 'GET',
  path: '/errors',
  query: z.object({
    worker: z.string().optional(),
    limit: numberParameter(1, 500).default(50),
    cursor: z
      .string()
      .regex(/^\d{1,17}:\d{1,15}$/, 'must be the cursor of the page before')
      .optional(),
  }),
  handler: async ({ query }, { pool }) => {
    const [rows, total] = await Promise.all([
      listIndexingErrors(pool, { worker: query.worker, after: parseCursor(query.cursor), limit: query.limit + 1 }),
      countIndexingErrors(pool, query.worker),
    ])
    const page = rows.slice(0, query.limit)
    const last = page.at(-1)
    const hasMore = rows.length > query.limit && last !== undefined
    return {
      data: page.map(({ lastSeenMicros: _place, ...error }) => error),
      has_more: hasMore,
      cursor: hasMore ? `${last.lastSeenMicros}:${last.id}` : '',
      total,
    }
  },
})

function parseCursor(cursor: string | undefined): ErrorPlace | undefined {
  if (cursor === undefined) return undefined
  const [lastSeenMicros, id] = cursor.split(':').map(Number)
  return { lastSeenMicros: lastSeenMicros ?? 0, id: id ?? 0 }
}

export interface OperatorOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly metrics: Metrics
  readonly credentials: CredentialOptions
  /**
   * Where a request comes from, proxies of ours left out: who guesses from there is held off. Default: the other end
   * of the socket.
   */
  readonly addressOf?: (request: IncomingMessage) => string
  /** All ingesters and workers of the program, whether enabled or not. */
  readonly plans: readonly StagePlan[]
  /** What this process knows of the chain, asked anew for each look. */
  readonly bounds: () => OverviewBounds
  /** Database sessions of the query service that do not end. */
  readonly stuckSessions?: () => number
  readonly pages: Pages
  /** Where the queues are kept, and how to open them; they are opened when somebody looks at them. */
  readonly queues: { readonly backend: 'postgres' | 'redis'; readonly open: () => Promise<OpenQueues> }
  /** Of the program. */
  readonly version: string
  /**
   * Least time between two looks at the farm, in milliseconds; 0: whoever asks has it looked at anew. Default 1,000.
   */
  readonly pauseMs?: number
}

interface Operator {
  /** `open`: to requests from the machine itself, since neither a token nor a secret is set. */
  readonly access: 'open' | 'token'
  /** Answers requests whose path is `operatorPath` or below it. */
  readonly handle: RequestListener
  /** Ends streams and closes what was opened; requests under way are left to the server. */
  close(): Promise<void>
}

export const operatorPath = '/operator'
const apiPath = `${operatorPath}/api`

const routes = [
  overviewRoute,
  coverageRoute,
  ...leaseRoutes,
  errorsRoute,
  ...heightRoutes,
  rederiveRoute,
  ...drillRoutes,
]

/**
 * The back end of the operator's page: `/operator`, its API below `/operator/api`, and Bull Board at
 * `/operator/queues`.
 */
export function createOperator(options: OperatorOptions): Operator {
  const { pool, log, metrics, plans } = options
  const known: KnownCoverage = new Map()
  const feed = new OverviewFeed({
    read: () => readFarmOverview(pool, plans, options.bounds(), known),
    readDrills: () => listDrills(pool),
    stuckSessions: options.stuckSessions,
    version: options.version,
    queues: options.queues.backend,
    log,
    ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
  })
  const parts: OperatorParts = { pool, plans, feed, log }
  const streams = new EventStreams(feed)
  const board = new QueueBoard(options.queues.open, workerNames(parts), pool)
  const guard = new Guard(options.credentials, options.addressOf ?? (({ socket }) => socket.remoteAddress ?? ''))
  const admit = (context: OperatorContext): Promise<Access> =>
    guard.require(context.req, context.cookies.get(sessionCookie))

  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) =>
    log[hasLeftEarly(error) ? 'debug' : 'error']({ err: error }, 'an answer could not be sent'),
  )
  app.use(requests(metrics, log))
  app.use(securityHeaders())
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } }))
  const router = apiRouter({ parts, streams, guard, admit })
  app.use(router.routes())
  app.use(async (context, next) => {
    const { path } = context
    if (isAt(path, boardPath)) {
      context.state.route = boardPath
      await admitToBoard(context, admit)
      await board.serve(context, next)
    } else if (!isAt(path, apiPath) && ['GET', 'HEAD'].includes(context.method)) {
      context.state.route = operatorPath
      await servePage(context, options.pages, path.slice(operatorPath.length).replace(/^\/+/, ''))
    } else {
      const allowed = new Set(router.match(path, context.method).path.flatMap((layer) => layer.methods))
      if (allowed.size === 0) return
      context.set('Allow', [...allowed].join(', '))
      throw new ApiError(405, 'method-not-allowed', 'This path does not take this method; Allow lists which.')
    }
  })
  const handle = app.callback()
  return {
    access: guard.access,
    // What `handle` throws became an answer inside.
    handle: (request, response) => void handle(request, response),
    close: async () => {
      streams.close()
      await board.close()
    },
  }
}

interface ApiParts {
  readonly parts: OperatorParts
  readonly streams: EventStreams
  readonly guard: Guard
  readonly admit: (context: OperatorContext) => Promise<Access>
}

function apiRouter({ parts, streams, guard, admit }: ApiParts): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: apiPath })
  router.register('/session', ['GET', 'POST', 'DELETE'], async (context) => {
    context.state.route = `${apiPath}/session`
    await session(context, guard)
  })
  router.get('/stream', async (context) => {
    context.state.route = `${apiPath}/stream`
    const { until } = await admit(context)
    context.respond = false
    await streams.serve(context.res, until)
  })
  for (const route of routes) {
    router.register(route.path, [route.method], async (context) => {
      context.state.route = `${apiPath}${route.path}`
      await admit(context)
      if (route.method !== 'GET') requireSameOrigin(context.req)
      const body = route.method === 'GET' ? undefined : await readJson(context.req, maxBodyBytes)
      const answer = await route.run(new URLSearchParams(context.querystring), body, parts)
      context.set('Cache-Control', 'no-store')
      context.status = answer === undefined ? 204 : 200
      if (answer === undefined) return
      context.body = JSON.stringify(answer)
      context.type = 'application/json'
    })
  }
  return router
}

/** The board's own page leads a person who has not logged in to the page where one does. */
async function admitToBoard(context: OperatorContext, admit: ApiParts['admit']): Promise<void> {
  try {
    await admit(context)
  } catch (error) {
    const isPerson = context.method === 'GET' && context.accepts('json', 'html') === 'html'
    if (!(error instanceof ApiError) || error.status !== 401 || !isPerson) throw error
    context.redirect(operatorPath)
    return
  }
  if (!['GET', 'HEAD'].includes(context.method)) requireSameOrigin(context.req)
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}
