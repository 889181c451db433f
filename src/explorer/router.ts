import { Router } from '@koa/router'
import type { RouterContext } from '@koa/router'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import type { DatabasePool } from 'slonik'
import { clientNetwork } from '../platform/client-network.ts'
import { ApiError } from '../platform/errors.ts'
import { bearerToken } from '../platform/http/bearer-token.ts'
import type { Logger } from '../platform/log.ts'
import { readJson } from '../platform/read-json.ts'
import { RefusedAttempts } from '../platform/auth/refused-attempts.ts'
import type { AdminGate } from './admin/gate.ts'
import { AnswerStream } from './http/answer-stream.ts'
import { CallSlots, retrySeconds } from './limits/call-slots.ts'
import type { CallSlotsOptions } from './limits/call-slots.ts'
import type { RequestState } from './middleware/request-log.ts'
import { declaredPath, topLevelSegments } from './http/paths.ts'
import type { Answer, Caching, Route, Services } from './route.ts'

const cacheControl: Readonly<Record<Caching, string>> = {
  revalidate: 'no-cache',
  settled: 'public, max-age=3600',
  minute: 'public, max-age=60',
  static: 'public, max-age=3600',
  never: 'no-store',
}

/** Longest body of a request: no route needs more. */
const mostBodyBytes = 64 * 1024

/** Calls of expensive routes, which have connections of their own. A page makes a few at the same time. */
const expensiveCalls: CallSlotsOptions = {
  what: 'expensive calls',
  max: 8,
  maxOfClient: 4,
  maxWaiting: 200,
  maxWaitingOfClient: 20,
  maxWaitMs: 5000,
}

/** Answers that are made while they are sent. */
const answerStreams: CallSlotsOptions = {
  what: 'downloads',
  max: 6,
  maxOfClient: 2,
  maxWaiting: 0,
  maxWaitingOfClient: 0,
  maxWaitMs: 0,
}

/** A client that takes longer for a stream is disconnected. Longer than `csvLimits.maxMs`: a CSV ends by itself. */
const maxStreamMs = 360_000

export interface RouterOptions {
  /** The database of expensive calls. */
  readonly expensiveReads: DatabasePool
  /** Whether an answer that breaks its schema is an error; on outside production. */
  readonly checkResponses: boolean
  readonly adminGate: AdminGate
  /** Where what administrators did, and who was refused, is written down. */
  readonly log: Logger
}

/** Mounts the declared routes on an application. */
export function serveRoutes(
  app: Koa<RequestState>,
  routes: readonly Route[],
  services: Services,
  options: RouterOptions,
): void {
  const router = new Router<RequestState>()
  const refused = new RefusedAttempts({ log: options.log })
  const [slots, streams] = [new CallSlots(expensiveCalls), new CallSlots(answerStreams)]
  const ofExpensive = { ...services, database: options.expensiveReads }
  for (const route of routes) {
    router.register(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), [route.method], async (context) => {
      context.state.route = route.path
      const answer = isExpensive(route, context)
        ? await inSlot(context, slots, () => answerTo(route, context, ofExpensive, { ...options, refused }))
        : await answerTo(route, context, services, { ...options, refused })
      const { body } = answer
      context.status = answer.status ?? route.successStatus
      if (body instanceof AnswerStream) {
        await sendStream(context, body, streams)
      } else {
        if (options.checkResponses) checkAnswer(route, body)
        context.body = typeof body === 'string' ? body : JSON.stringify(body)
        context.type = route.contentType
      }
      if (route.otherTypes !== undefined) context.vary('Accept')
      const caching = answer.caching ?? 'revalidate'
      context.state.caching = caching
      context.set('Cache-Control', cacheControl[caching])
      context.set({ ...answer.headers })
    })
  }
  app.use(useDeclaredPath(routes))
  app.use(router.routes())
  app.use(refuseOtherMethods(router))
}

/** Who may not call is told so before anything of the request is read. */
async function answerTo(
  route: Route,
  context: RouterContext<RequestState>,
  services: Services,
  { adminGate, refused, log }: RouterOptions & { readonly refused: RefusedAttempts },
): Promise<Answer<unknown>> {
  const run = async (): Promise<Answer<unknown>> =>
    route.run(
      {
        params: context.params,
        // Not of `context.URL`, which is empty where the Host header cannot be part of a URL.
        query: new URLSearchParams(context.querystring),
        body: route.body === undefined ? undefined : await readJson(context.req, mostBodyBytes),
        apiKey: context.get('X-API-Key') || undefined,
        bearer: bearerToken(context.get('Authorization')),
        mediaType: preferredType(route, context),
      },
      services,
    )
  if (route.access !== 'admin') return run()
  const {
    requestId,
    client: { address },
  } = context.state
  const attempt = { audit: route.operationId, address, path: context.path, requestId }
  const { kind, subject } = await adminGate.require(context.req, address).catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) {
      const by = error.details['subject']
      refused.note(clientNetwork(address), {
        ...attempt,
        refused: error.code,
        ...(typeof by === 'string' ? { by } : {}),
      })
    }
    throw error
  })
  const answer = await run()
  if (route.method !== 'GET') log.info({ ...attempt, by: subject ?? kind }, 'an administrator made a change')
  return { caching: 'never', ...answer }
}

function preferredType(route: Route, context: RouterContext<RequestState>): string {
  const [usual = ''] = route.contentType.split(';')
  const best = route.otherTypes === undefined ? false : context.accepts(usual, ...Object.keys(route.otherTypes))
  return typeof best === 'string' ? best : usual
}

function isExpensive({ cost }: Route, { query }: RouterContext<RequestState>): boolean {
  return cost === 'high' || (Array.isArray(cost) && cost.some((name) => name in query))
}

/** Runs an expensive call when there is a slot for it. */
async function inSlot(
  context: RouterContext<RequestState>,
  slots: CallSlots,
  run: () => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  const leave = await enter(slots, context)
  try {
    return await run()
  } finally {
    leave()
  }
}

async function enter(slots: CallSlots, context: RouterContext<RequestState>): Promise<() => void> {
  try {
    return await slots.enter(context.state.client)
  } catch (error) {
    context.set('Retry-After', String(retrySeconds))
    throw error
  }
}

/**
 * A stream has a slot until it ends, and may take so long; Koa destroys it when the client leaves. Of an error in it the compression in
 * between reports nothing.
 */
async function sendStream(
  context: RouterContext<RequestState>,
  { content, contentType }: AnswerStream,
  streams: CallSlots,
): Promise<void> {
  const leave = await enter(streams, context).catch((error: unknown) => {
    content.destroy()
    throw error
  })
  const late = setTimeout(() => context.res.destroy(), maxStreamMs)
  context.res.once('close', () => {
    clearTimeout(late)
    content.destroy()
    leave()
  })
  context.body = content
  context.type = contentType
  content.once('error', () => context.res.destroy())
}

function useDeclaredPath(routes: readonly Route[]): Middleware<RequestState> {
  const topLevel = topLevelSegments(routes.map((route) => route.path))
  return async (context, next) => {
    context.path = declaredPath(context.path, topLevel)
    await next()
  }
}

/** For paths that exist: the router leaves a request to this when it has the path but not the method. */
function refuseOtherMethods(router: Router<RequestState>): Middleware<RequestState> {
  return async (context, next) => {
    const allowed = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods))
    if (allowed.size === 0) {
      await next()
      return
    }
    context.set('Allow', [...allowed, 'OPTIONS'].join(', '))
    if (context.method !== 'OPTIONS') {
      throw new ApiError(405, 'method-not-allowed', 'This path does not take this method; Allow lists which.')
    }
    context.status = 204
  }
}

/** Checks what is sent, not what was returned: JSON leaves out what is undefined. */
function checkAnswer(route: Route, body: unknown): void {
  const sent: unknown = typeof body === 'string' ? body : JSON.parse(JSON.stringify(body))
  const result = route.response.safeParse(sent)
  if (!result.success) throw new Error(`the answer of ${route.path} breaks its schema`, { cause: result.error })
}
