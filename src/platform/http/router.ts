import type { ServerResponse } from 'node:http'
import { Router } from '@koa/router'
import type { RouterContext } from '@koa/router'
import type Koa from 'koa'
import { ApiError } from '../errors.ts'
import { limitKey } from '../limits/clients.ts'
import { Slots } from '../limits/slots.ts'
import type { Slot, SlotsOptions } from '../limits/slots.ts'
import { disconnectSignal } from './connections.ts'
import { bearerToken } from './guards.ts'
import { readJson } from './read-json.ts'
import type { RequestState } from './requests.ts'
import { AnswerStream } from './route.ts'
import type { Answer, Caching, Call, Route } from './route.ts'

/**
 * Returns the result of `run` with the caller, or throws an `ApiError`. Runs before the request
 * body is read.
 */
export type Guard<Caller> = (
  call: Call,
  run: (caller: Caller) => Promise<Answer<unknown>>,
  route: Route,
) => Promise<Answer<unknown>>

/** By the `access` of routes. */
export type Guards = Readonly<Record<string, Guard<unknown>>>

export function guard<Caller>(callerOf: (call: Call, route: Route) => Promise<Caller> | Caller): Guard<Caller> {
  return async (call, run, route) => run(await callerOf(call, route))
}

const cacheControl: Readonly<Record<Caching, string>> = {
  revalidate: 'no-cache',
  settled: 'public, max-age=3600',
  minute: 'public, max-age=60',
  static: 'public, max-age=3600',
  never: 'no-store',
}

const defaultMaxBodyBytes = 64 * 1024

const answerStreams: SlotsOptions = { what: 'downloads', max: 6, maxPerClient: 2 }

/** Characters. Clients that read slowly keep such an answer in memory. */
const largeAnswer = 1024 * 1024
const largeAnswers: SlotsOptions = { what: 'large answers', max: 16, maxPerClient: 4 }

/** Longer than generating any stream takes, ms. */
const maxStreamMs = 360_000

export interface RouterOptions<Services> {
  readonly routes: readonly Route<Services>[]
  readonly services: Services
  readonly guards?: Guards | undefined
  /** For routes of high cost, for example a separate database pool. */
  readonly expensive?: { readonly slots: Slots; readonly services: Services } | undefined
  readonly caching?: Caching | undefined
  /** For development and tests. */
  readonly checkResponses?: boolean | undefined
}

export function serveRoutes<Services>(app: Koa<RequestState>, options: RouterOptions<Services>): void {
  const { services, expensive } = options
  const router = new Router<RequestState>()
  const streams = new Slots(answerStreams)
  const large = new Slots(largeAnswers)
  for (const route of inMatchingOrder(options.routes)) {
    const admit = guardOf(route, options.guards)
    router.register(koaPath(route.path), [route.method], async (context) => {
      context.state.route = route.path
      if (route.errorForm !== undefined) context.state.errorForm = route.errorForm
      const call = callOf(context)
      const run = (own: Services) => (): Promise<Answer<unknown>> =>
        admit(call, (caller) => runRoute(route, context, call, caller, own), route)
      const answer =
        expensive !== undefined && isExpensive(route, context)
          ? await inSlot(context, expensive.slots, run(expensive.services))
          : await run(services)()
      await sendAnswer(context, route, answer, { ...options, streams, large })
    })
  }
  app.use(router.routes())
  app.use(async (context, next) => {
    const allowed = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods))
    if (allowed.size === 0) {
      await next()
      return
    }
    context.set('Allow', [...allowed, 'OPTIONS'].join(', '))
    if (context.method !== 'OPTIONS') {
      throw new ApiError(405, 'method-not-allowed', 'This path does not support this method. See the Allow header.')
    }
    context.status = 204
  })
}

function guardOf({ access, path }: { readonly access: string; readonly path: string }, guards: Guards = {}) {
  if (access === 'none')
    return async (_call: Call, run: (caller: undefined) => Promise<Answer<unknown>>) => run(undefined)
  const admit = guards[access]
  if (admit === undefined) throw new TypeError(`${path} needs the guard "${access}", which the server does not have`)
  return admit
}

/** The router takes the first match. */
function inMatchingOrder<Services>(routes: readonly Route<Services>[]): readonly Route<Services>[] {
  const order = ({ path }: Route<Services>): string =>
    path
      .replaceAll(/\{\w+\*\}/g, '\uffff\uffff')
      .replaceAll(/\{\w+\}/g, '\uffff')
      .replaceAll('/', '\0')
  return routes.toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0))
}

function koaPath(path: string): string {
  return path.replaceAll(/\{(\w+)\*\}/g, '*$1').replaceAll(/\{(\w+)\}/g, ':$1')
}

function callOf(context: RouterContext<RequestState>): Call {
  let signal: AbortSignal | undefined
  const { client, requestId } = context.state
  return {
    request: context.req,
    requestId,
    client,
    path: context.originalUrl.split('?', 1)[0] ?? '/',
    get signal() {
      return (signal ??= disconnectSignal(context.res))
    },
    header: (name) => context.get(name),
    cookie: (name) => context.cookies.get(name),
  }
}

async function runRoute<Services>(
  route: Route<Services>,
  context: RouterContext<RequestState>,
  call: Call,
  caller: unknown,
  services: Services,
): Promise<Answer<unknown>> {
  const { readBody = (request, max) => readJson(request, max), maxBodyBytes = defaultMaxBodyBytes } = route
  return route.run(
    {
      params: context.params,
      // `context.URL` is empty if the Host header cannot be part of a URL.
      query: new URLSearchParams(context.querystring),
      body: route.body === undefined ? undefined : await readBody(context.req, maxBodyBytes, caller),
      caller,
      call,
      apiKey: context.get('X-API-Key') || undefined,
      bearer: bearerToken(context.get('Authorization')),
      mediaType: preferredType(route, context),
    },
    services,
  )
}

async function sendAnswer<Services>(
  context: RouterContext<RequestState>,
  route: Route<Services>,
  { body, status, headers, caching: own }: Answer<unknown>,
  {
    checkResponses,
    caching = 'never',
    streams,
    large,
  }: RouterOptions<Services> & { readonly streams: Slots; readonly large: Slots },
): Promise<void> {
  if (typeof body === 'function') {
    context.respond = false
    context.state.isUntimed = true
    context.set({ ...headers })
    try {
      await (body as (response: ServerResponse) => Promise<void>)(context.res)
    } catch (error) {
      context.respond = !context.res.headersSent
      throw error
    }
    return
  }
  context.status = status ?? route.successStatus
  if (body instanceof AnswerStream) await sendStream(context, body, streams)
  else {
    if (checkResponses === true) checkAnswer(route, body)
    const content =
      body === undefined ? null : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    if (content !== null && content.length > largeAnswer) {
      const { leave } = large.enterNow(limitKey(context.state.client))
      context.res.once('close', leave)
    }
    context.body = content
    // Koa sets 204 for an empty body.
    if (body === undefined) context.status = status ?? route.successStatus
    else context.type = route.contentType
  }
  if (route.otherTypes !== undefined) context.vary('Accept')
  const effective = own ?? caching
  context.state.caching = effective
  context.set('Cache-Control', cacheControl[effective])
  context.set({ ...headers })
}

function preferredType<Services>(route: Route<Services>, context: RouterContext<RequestState>): string {
  const [usual = ''] = route.contentType.split(';')
  const best = route.otherTypes === undefined ? false : context.accepts(usual, ...Object.keys(route.otherTypes))
  return typeof best === 'string' ? best : usual
}

function isExpensive<Services>({ cost }: Route<Services>, { query }: RouterContext<RequestState>): boolean {
  return cost === 'high' || (Array.isArray(cost) && cost.some((name) => name in query))
}

async function inSlot(
  context: RouterContext<RequestState>,
  slots: Slots,
  run: () => Promise<Answer<unknown>>,
): Promise<Answer<unknown>> {
  const slot = await slots.enter(limitKey(context.state.client))
  try {
    return await run()
  } finally {
    slot.leave()
  }
}

/**
 * A stream occupies a slot until it ends. The compression in between does not forward its errors.
 */
async function sendStream(
  context: RouterContext<RequestState>,
  { content, contentType }: AnswerStream,
  streams: Slots,
): Promise<void> {
  const slot: Slot = await streams.enter(limitKey(context.state.client)).catch((error: unknown) => {
    content.destroy()
    throw error
  })
  const late = setTimeout(() => context.res.destroy(), maxStreamMs)
  context.res.once('close', () => {
    clearTimeout(late)
    content.destroy()
    slot.leave()
  })
  context.body = content
  context.type = contentType
  content.once('error', () => context.res.destroy())
}

/** JSON omits undefined values. */
function checkAnswer<Services>(route: Route<Services>, body: unknown): void {
  const sent: unknown = typeof body === 'object' ? JSON.parse(JSON.stringify(body)) : body
  const result = route.response.safeParse(sent)
  if (!result.success) throw new Error(`the response of ${route.path} violates its schema`, { cause: result.error })
}
