import { z } from 'zod'
import { clearDrills, setDrill } from '../farm/drills.ts'
import { listFailingHeights, retryHeights, skipHeight } from '../farm/leases/coverage.ts'
import { addRederiveRequest } from '../farm/leases/requests.ts'
import { cellBorders, partsPerCell } from '../farm/overview/pace.ts'
import { countIndexingErrors, listIndexingErrors } from '../platform/db/indexing-errors.ts'
import type { ErrorPlace } from '../platform/db/indexing-errors.ts'
import { ApiError } from '../platform/errors.ts'
import { documentRoutes } from '../platform/http/openapi.ts'
import type { ApiInfo } from '../platform/http/openapi.ts'
import type { Route } from '../platform/http/route.ts'
import type { HeightRange } from '../platform/ranges.ts'
import { sessionCookie } from './access.ts'
import { leaseRoutes } from './lease-routes.ts'
import { overviewSchema } from './overview-feed.ts'
import {
  apiPath,
  heightField,
  heightParameter,
  numberParameter,
  operatorPath,
  operatorRoute,
  pageOf,
  requireHeights,
  requireWorkers,
  timestamp,
  wholeNumber,
  workerField,
} from './route.ts'
import type { OperatorServices } from './route.ts'

const shares = z.array(z.number()).describe('Shares from 0 to 1 by cell, lowest heights first.')

const coverageSchema = z
  .strictObject({
    from: z.int(),
    to: z.int(),
    cells: z.int(),
    stages: z.array(
      z
        .strictObject({ name: z.string(), done: shares, active: shares, failing: shares, skipped: shares })
        .meta({ id: 'CoverageLane' }),
    ),
  })
  .meta({ id: 'Coverage' })

const indexingError = z
  .strictObject({
    id: z.int(),
    worker: z.string(),
    height: z.int(),
    txIndex: z.int().describe('-1 where the error concerns the block.'),
    eventIndex: z.int().describe('-1 where the error concerns the transaction.'),
    code: z.string(),
    message: z.string(),
    eventType: z.string().nullable(),
    transactionId: z.string().nullable(),
    occurrences: z.int(),
    firstSeenAt: timestamp,
    lastSeenAt: timestamp,
  })
  .meta({ id: 'IndexingError' })

const failingHeights = z
  .strictObject({
    heights: z.array(
      z
        .strictObject({
          height: z.int(),
          state: z.enum(['failing', 'skipping', 'unavailable']),
          part: z.string().nullable().describe('The missing part; null while the height fails.'),
          reason: z.string(),
          since: timestamp,
          count: z.int(),
        })
        .meta({ id: 'FailingHeight' }),
    ),
    failing: z.int(),
    unavailable: z.int(),
  })
  .meta({ id: 'FailingHeights' })

const sessionSchema = z
  .strictObject({
    access: z.enum(['open', 'token']).describe('open: every request from this machine is allowed.'),
    isAllowed: z.boolean(),
  })
  .meta({ id: 'Session' })

const overviewRoutes = [
  operatorRoute({
    path: `${apiPath}/overview`,
    operationId: 'getOverview',
    tag: 'Farm',
    summary: 'Progress of all ingesters and workers',
    access: 'operator',
    response: overviewSchema,
    handler: async (_input, { feed }) => ({ body: (await feed.current()).overview }),
  }),
  operatorRoute({
    path: `${apiPath}/stream`,
    operationId: 'streamOverview',
    tag: 'Farm',
    summary: 'The overview after each change, as server-sent events',
    access: 'operator',
    problems: { 429: 'Too many open operator pages.' },
    contentType: 'text/event-stream; charset=utf-8',
    response: z.string(),
    handler: ({ caller }, { streams }) => ({ body: (response) => streams.serve(response, caller.until) }),
  }),
  operatorRoute({
    path: `${apiPath}/coverage`,
    operationId: 'getCoverage',
    tag: 'Farm',
    summary: 'Coverage of the stored chain or a part of it, in cells of equal size',
    access: 'operator',
    query: z.object({
      cells: numberParameter(1, 4000).default(400),
      from: heightParameter.optional(),
      to: heightParameter.optional(),
    }),
    response: coverageSchema,
    handler: async ({ query }, { feed }) => {
      const { overview, heights } = await feed.current()
      const from = query.from ?? overview.stored?.from ?? 0
      const to = query.to ?? Math.max(from, overview.stored?.to ?? 0)
      if (query.to !== undefined) requireHeights({ from, to }, 'invalid-parameter')
      const borders = cellBorders({ from, to }, query.cells)
      const stages = [...heights].map(([name, { covered, active, failing, skipped }]) => ({
        name,
        done: partsPerCell(covered, borders),
        active: partsPerCell(active, borders),
        failing: partsPerCell(failing, borders),
        skipped: partsPerCell(skipped, borders),
      }))
      return { body: { from, to, cells: borders.length - 1, stages } }
    },
  }),
  operatorRoute({
    path: `${apiPath}/errors`,
    operationId: 'listErrors',
    tag: 'Errors',
    summary: 'Unresolved decoding and derivation errors, newest first',
    access: 'operator',
    query: z.object({
      worker: z.string().optional(),
      limit: numberParameter(1, 500).default(50),
      cursor: z
        .string()
        .regex(/^\d{1,17}:\d{1,15}$/, 'must be the cursor of the page before')
        .optional(),
    }),
    response: pageOf(indexingError),
    handler: async ({ query: { worker, limit, cursor } }, { pool }) => {
      const [rows, total] = await Promise.all([
        listIndexingErrors(pool, { worker, after: parseCursor(cursor), limit: limit + 1 }),
        countIndexingErrors(pool, worker),
      ])
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const hasMore = rows.length > limit && last !== undefined
      return {
        body: {
          data: page.map(({ lastSeenMicros: _place, ...error }) => error),
          has_more: hasMore,
          cursor: hasMore ? `${last.lastSeenMicros}:${last.id}` : '',
          total,
        },
      }
    },
  }),
]

function parseCursor(cursor: string | undefined): ErrorPlace | undefined {
  if (cursor === undefined) return undefined
  const [lastSeenMicros, id] = cursor.split(':').map(Number)
  return { lastSeenMicros: lastSeenMicros ?? 0, id: id ?? 0 }
}

const heightRoutes = [
  operatorRoute({
    path: `${apiPath}/heights`,
    operationId: 'listFailingHeights',
    tag: 'Heights',
    summary: 'Heights that access nodes do not serve: failing and unavailable ones',
    access: 'operator',
    query: z.object({ limit: numberParameter(1, 500).default(50) }),
    response: failingHeights,
    handler: async ({ query }, { pool }) => {
      const { heights, ...counts } = await listFailingHeights(pool, query.limit)
      return { body: { ...counts, heights: [...heights] } }
    },
  }),
  operatorRoute({
    method: 'POST',
    path: `${apiPath}/heights/skip`,
    operationId: 'skipHeight',
    tag: 'Heights',
    summary: 'Record a failing height as unavailable',
    access: 'operator',
    body: z.strictObject({ height: heightField }, 'must be an object'),
    successStatus: 204,
    problems: { 404: 'The height is not failing.' },
    handler: async ({ body: { height } }, { pool, log, feed }) => {
      await skipHeight(pool, height)
      log.warn({ action: 'skip height', height }, 'An operator skipped a failing height')
      feed.wake()
      return {}
    },
  }),
  operatorRoute({
    method: 'POST',
    path: `${apiPath}/heights/retry`,
    operationId: 'retryHeights',
    tag: 'Heights',
    summary: 'Fetch the unavailable heights of a range again',
    access: 'operator',
    body: z.strictObject({ from: heightField, to: heightField }, 'must be an object'),
    response: z.strictObject({ retried: z.int() }),
    handler: async ({ body }, { pool, log, feed }) => {
      requireHeights(body, 'invalid-field')
      const heights = await retryHeights(pool, body)
      log.info({ action: 'retry heights', ...body, retried: heights.length }, 'An operator retried unavailable heights')
      feed.wake()
      return { body: { retried: heights.length } }
    },
  }),
]

const rederiveRoute = operatorRoute({
  method: 'POST',
  path: `${apiPath}/rederive`,
  operationId: 'rederive',
  tag: 'Farm',
  summary: 'Derive a range again with the given workers and all workers that follow them',
  access: 'operator',
  body: z.strictObject(
    {
      from: heightField,
      to: heightField,
      workers: z.array(workerField, 'must be a list of workers').min(1, 'must name at least one worker'),
    },
    'must be an object',
  ),
  response: z.strictObject({ workers: z.array(z.string()) }),
  handler: async ({ body: { from, to, workers } }, { pool, plans, feed, log }) => {
    const known = await plans()
    requireWorkers(known, workers, 'workers')
    requireHeights({ from, to }, 'invalid-field')
    const { stored } = (await feed.current()).overview
    if (stored === null || from < stored.from || to > stored.to) {
      const range = stored === null ? 'no heights are stored yet' : `the stored range is [${stored.from}, ${stored.to})`
      const field = stored !== null && from >= stored.from ? 'to' : 'from'
      throw new ApiError(400, 'range-not-stored', `Only stored heights can be derived again; ${range}.`, { field })
    }
    const all = known.filter(({ kind }) => kind === 'worker')
    const { reopened } = await addRederiveRequest(pool, all, workers, { from, to })
    log.info({ action: 'rederive', from, to, workers: reopened }, 'An operator requested a derivation')
    feed.wake()
    return { body: { workers: [...reopened] } }
  },
})

/** Distance from the head at which a drill starts: no worker may pass it before it is set. */
const leadBlocks = 10
const maxDrillBlocks = 10_000

const drillBody = z.strictObject(
  {
    worker: workerField,
    reason: z.string('must be a string').max(2000, 'must have at most 2000 characters').optional(),
    from: heightField.optional(),
    to: heightField.optional(),
    blocks: wholeNumber(1, maxDrillBlocks).optional(),
  },
  'must be an object',
)

const drillRoutes = [
  operatorRoute({
    method: 'POST',
    path: `${apiPath}/drills`,
    operationId: 'setDrill',
    tag: 'Drills',
    summary: 'Make a worker fail on a range, to test how the farm reacts',
    access: 'operator',
    body: drillBody,
    successStatus: 204,
    handler: async ({ body }, services) => {
      requireWorkers(await services.plans(), [body.worker], 'worker')
      const drill = { worker: body.worker, reason: body.reason, ...(await heightsOf(body, services)) }
      await setDrill(services.pool, drill)
      services.log.warn({ action: 'set drill', ...drill }, 'An operator started a drill')
      services.feed.wake()
      return {}
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${apiPath}/drills`,
    operationId: 'clearDrill',
    tag: 'Drills',
    summary: 'End the drill of a worker',
    access: 'operator',
    body: z.strictObject({ worker: workerField }, 'must be an object'),
    successStatus: 204,
    handler: async ({ body: { worker } }, { pool, plans, log, feed }) => {
      requireWorkers(await plans(), [worker], 'worker')
      await clearDrills(pool, worker)
      log.info({ action: 'clear drill', worker }, 'An operator ended a drill')
      feed.wake()
      return {}
    },
  }),
]

/** The current head may be newer than the one on the page. */
async function heightsOf(
  { from, to, blocks }: z.output<typeof drillBody>,
  { feed }: OperatorServices,
): Promise<HeightRange> {
  if (from !== undefined && to !== undefined && blocks === undefined) {
    requireHeights({ from, to }, 'invalid-field')
    return { from, to }
  }
  if (blocks === undefined || from !== undefined || to !== undefined) {
    throw new ApiError(400, 'invalid-field', 'A drill needs either "from" and "to" or "blocks".', { field: 'blocks' })
  }
  feed.wake()
  const { head, stored } = (await feed.current()).overview
  const first = Math.max(head ?? 0, stored === null ? 0 : stored.to - 1) + leadBlocks
  return { from: first, to: first + blocks }
}

const session = { path: `${apiPath}/session`, tag: 'Session', access: 'session' } as const

const sessionRoutes = [
  operatorRoute({
    ...session,
    operationId: 'getSession',
    summary: 'Whether the client has access',
    response: sessionSchema,
    handler: async ({ call }, { access }) => ({
      body: { access: access.mode, isAllowed: await access.isAllowed(call.request, call.cookie(sessionCookie)) },
    }),
  }),
  operatorRoute({
    ...session,
    method: 'POST',
    operationId: 'logIn',
    summary: 'Log in with ADMIN_TOKEN or the JWT of an administrator; sets a cookie',
    // The secret is sent in a body: URLs appear in logs.
    body: z.strictObject(
      {
        token: z
          .string('must be ADMIN_TOKEN or the JWT of an administrator')
          .trim()
          .min(1, 'must not be empty')
          .max(16_384, 'is too long'),
      },
      'must be {token}',
    ),
    successStatus: 204,
    handler: async ({ body, call }, { access }) => {
      if (access.mode === 'open') return {}
      const { session: text, until } = await access.logIn(call.request, body.token)
      const seconds = Math.round((until - Date.now()) / 1000)
      return { headers: sessionHeaders(text, seconds, call.header('X-Forwarded-Proto')) }
    },
  }),
  operatorRoute({
    ...session,
    method: 'DELETE',
    operationId: 'logOut',
    summary: 'Log out',
    successStatus: 204,
    handler: ({ call }) => ({ headers: sessionHeaders('', 0, call.header('X-Forwarded-Proto')) }),
  }),
]

function sessionHeaders(text: string, seconds: number, forwardedProto: string): Record<string, string> {
  const isSecure = forwardedProto.split(',')[0]?.trim() === 'https'
  const parts = [
    `${sessionCookie}=${text}`,
    `Path=${operatorPath}`,
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${seconds}`,
    ...(isSecure ? ['Secure'] : []),
  ]
  return { 'Set-Cookie': parts.join('; ') }
}

export const operatorRoutes: readonly Route<OperatorServices>[] = [
  ...sessionRoutes,
  ...overviewRoutes,
  ...leaseRoutes,
  ...heightRoutes,
  rederiveRoute,
  ...drillRoutes,
]

export const operatorApiInfo: ApiInfo = {
  title: 'flowfarm operator API',
  description: 'Monitoring and control of ingestion and derivation. Times are ISO 8601 UTC; ranges exclude `to`.',
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN, or the JWT of an administrator.' },
    session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
  },
  securityOf: ({ access }) => (access === 'operator' ? [{ token: [] }, { session: [] }] : []),
  sharedErrors: { Unauthorized: 'Authentication required.', InternalError: 'Internal error; see the server log.' },
  sharedErrorsOf: ({ access }) => ({
    ...(access === 'operator' ? { 401: 'Unauthorized' } : {}),
    500: 'InternalError',
  }),
}

export const operatorDocuments = documentRoutes(() => operatorRoutes, operatorApiInfo, { prefix: apiPath })
