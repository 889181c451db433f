import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Middleware, ParameterizedContext } from 'koa'
import { ApiError, asError } from '../errors.ts'
import type { Client } from '../limits/clients.ts'
import { LogThrottle } from '../log-throttle.ts'
import { loggedPath } from '../log.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { notFoundPage } from './not-found-page.ts'
import { databaseUnavailable, problemForm, toApiError } from './problem.ts'
import type { ErrorForm } from './problem.ts'
import type { Caching } from './route.ts'

export interface RequestState {
  client: Client
  /** The client's `X-Request-Id` if valid, else generated. */
  requestId: string
  route?: string
  caching?: Caching
  errorForm?: ErrorForm
  /** For event streams, which last as long as the client listens. */
  isUntimed?: boolean
}

export type RequestContext = ParameterizedContext<RequestState>

/** The client disconnected before the response was sent. */
const clientClosedRequest = 499

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface RequestLogOptions {
  readonly unmatched: string
  readonly metrics: Metrics
  readonly log: Logger
  readonly clientOf: (request: IncomingMessage) => Client
}

/** Logs no query, headers and tokens of links. */
export function requestLog({ unmatched, metrics, log, clientOf }: RequestLogOptions): Middleware<RequestState> {
  return async (context, next) => {
    const { state, request, response } = context
    const { method, path } = request
    state.client = clientOf(context.req)
    const begin = performance.now()
    const given = request.get('X-Request-Id')
    state.requestId = /^[\w.-]{1,128}$/.test(given) ? given : randomUUID()
    response.set('X-Request-Id', state.requestId)
    context.res.once('close', () => {
      const seconds = (performance.now() - begin) / 1000
      const status = context.res.writableFinished ? context.res.statusCode : clientClosedRequest
      const route = state.route ?? unmatched
      const known = methods.includes(method) ? method : 'other'
      if (state.isUntimed !== true)
        metrics.httpRequests.observe({ route, method: known, status: String(status) }, seconds)
      log.debug(
        { requestId: state.requestId, method, path: loggedPath(path), route, status, seconds },
        'Request completed',
      )
    })
    await next()
  }
}

export interface ErrorOptions {
  readonly log: Logger
  readonly metrics: Metrics
  readonly errorFormOf?: ((path: string) => ErrorForm | undefined) | undefined
  /** Undefined falls back to `toApiError`. */
  readonly translate?: ((thrown: unknown) => ApiError | undefined) | undefined
  /** 503 errors that clients can cause or that are logged elsewhere. */
  readonly isExpected?: ((error: ApiError) => boolean) | undefined
  readonly unknownPath?: ((path: string) => string) | undefined
  /** `WWW-Authenticate` of a 401. */
  readonly challenge?: string | undefined
  /** `Retry-After` of a 503 whose error has no `retryAfterSeconds`. */
  readonly retrySeconds?: number | undefined
  /** Linked from the 404 page. */
  readonly home?: string | undefined
}

const outageLineMs = 5000

interface Throttles {
  readonly outages: LogThrottle
  /** Clients can cause overload and unavailable features at will. */
  readonly unavailable: LogThrottle
}

export function errors(options: ErrorOptions): Middleware<RequestState> {
  const { unknownPath = (path: string) => `No route matches ${path}.` } = options
  const throttles = { outages: new LogThrottle(outageLineMs), unavailable: new LogThrottle() }
  return async (context, next) => {
    try {
      await next()
      if (context.respond !== false && context.status === 404 && (context.body === undefined || context.body === null))
        throw new ApiError(404, 'unknown-path', unknownPath(context.path))
    } catch (thrown) {
      if (context.res.destroyed) return
      const error = thrown instanceof ApiError ? thrown : (options.translate?.(thrown) ?? toApiError(thrown))
      logError(context, thrown, error, options, throttles)
      answerError(context, error, options)
    }
  }
}

function logError(
  { state: { requestId }, path: given }: RequestContext,
  thrown: unknown,
  error: ApiError,
  { log, isExpected }: ErrorOptions,
  { outages, unavailable }: Throttles,
): void {
  if (error.status < 500) return
  const path = loggedPath(given)
  if (isExpected?.(error) === true) log.debug({ requestId, path }, error.message)
  else if (error.code === databaseUnavailable) {
    // All requests fail alike during a database outage.
    const suppressed = outages.due()
    if (suppressed === undefined) return
    const others = suppressed === 0 ? {} : { suppressed }
    log.error({ err: asError(thrown), requestId, path, ...others }, 'Request failed')
  } else if (error.status === 500) log.error({ err: asError(thrown), requestId, path }, 'Request failed')
  else {
    const suppressed = unavailable.due(error.code)
    const details = { requestId, path, code: error.code, reason: error.message }
    if (suppressed === undefined) log.debug(details, 'Request failed')
    else log.warn({ ...details, ...(suppressed === 0 ? {} : { suppressed }) }, 'Request failed')
  }
}

function answerError(context: RequestContext, error: ApiError, options: ErrorOptions): void {
  const { requestId, errorForm } = context.state
  const { retryAfterSeconds } = error.details
  if (error.status === 429 || error.code === 'busy') options.metrics.limitedRequests.inc({ code: error.code })
  context.status = error.status
  context.set('Cache-Control', 'no-store')
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  else if (error.status === 503 && options.retrySeconds !== undefined)
    context.set('Retry-After', String(options.retrySeconds))
  if (error.status === 401) context.set('WWW-Authenticate', options.challenge ?? 'Bearer realm="flowfarm"')
  // The rest of the body is not read.
  if (error.status === 413 || (error.code === 'busy' && !context.req.complete)) context.set('Connection', 'close')
  context.vary('Accept')
  const page = notFoundPage(context.req, error, options.home)
  if (page !== undefined) {
    context.set(page.headers)
    context.body = page.html
    return
  }
  const form = errorForm ?? options.errorFormOf?.(context.path) ?? problemForm
  context.set({ ...form.headersOf?.(error, context.req) })
  context.body = JSON.stringify(form.bodyOf(error, requestId, context.req))
  context.type = form.contentType
}
