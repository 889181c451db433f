import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { Middleware, ParameterizedContext } from 'koa'
import { ApiError, asError } from '../errors.ts'
import { clientReader } from '../limits/clients.ts'
import type { Client } from '../limits/clients.ts'
import { LogThrottle } from '../log-throttle.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { notFoundPage } from './not-found-page.ts'
import { databaseUnavailable, problemForm, toApiError } from './problem.ts'
import type { ErrorForm } from './problem.ts'
import type { Caching } from './route.ts'

/** What is kept with a request. */
export interface RequestState {
  client: Client
  /** From `X-Request-Id` where that is a plain word, else made here; sent back in the same header. */
  requestId: string
  /** Declared path of the route that answers, once it is known. */
  route?: string
  /** How long the response may be cached, once it is known. */
  caching?: Caching
  /** Of the errors of the route that answers, once it is known. */
  errorForm?: ErrorForm
  /** A stream of events lasts as long as its client listens: its time says nothing. */
  isUntimed?: boolean
}

export type RequestContext = ParameterizedContext<RequestState>

/** The status, in metrics and log, of a request whose client went away before the answer was sent. */
const clientClosedRequest = 499

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface RequestLogOptions {
  /** The route, in metrics, of requests that no route answers. */
  readonly unmatched: string
  readonly metrics: Metrics
  readonly log: Logger
  readonly clientOf: (request: IncomingMessage) => Client
}

/**
 * Names each request, times it by its route and logs it at level debug, without its query and headers, which may hold
 * secrets.
 */
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
      log.debug({ requestId: state.requestId, method, path, route, status, seconds }, 'answered')
    })
    await next()
  }
}

export interface ErrorOptions {
  readonly log: Logger
  readonly metrics: Metrics
  /** For requests that no route answers. Default: `problemForm`. */
  readonly errorFormOf?: ((path: string) => ErrorForm | undefined) | undefined
  /** What an error that is not an `ApiError` becomes; undefined: what `toApiError` makes of it. */
  readonly translate?: ((thrown: unknown) => ApiError | undefined) | undefined
  /**
   * Errors of status 503 that are in the log already, or that anybody may cause as often as they like. Default: none.
   */
  readonly isExpected?: ((error: ApiError) => boolean) | undefined
  /** Of the error for a path that does not exist. */
  readonly unknownPath?: ((path: string) => string) | undefined
  /** `WWW-Authenticate` of a 401. Default `Bearer realm="flowfarm"`. */
  readonly challenge?: string | undefined
  /** `Retry-After` of a 503 whose error has no `retryAfterSeconds`. Default: none. */
  readonly retrySeconds?: number | undefined
  /** The service's own page, to which the page for unknown paths links. */
  readonly home?: string | undefined
}

const outageLineMs = 5000

/** Turns whatever is thrown further in, and requests that no route answers, into errors of the form of their route. */
export function errors(options: ErrorOptions): Middleware<RequestState> {
  const { unknownPath = (path: string) => `There is nothing at ${path}.` } = options
  const outages = new LogThrottle(outageLineMs)
  return async (context, next) => {
    try {
      await next()
      if (context.respond !== false && context.status === 404 && (context.body === undefined || context.body === null))
        throw new ApiError(404, 'unknown-path', unknownPath(context.path))
    } catch (thrown) {
      if (context.res.destroyed) return
      const error = thrown instanceof ApiError ? thrown : (options.translate?.(thrown) ?? toApiError(thrown))
      logError(context, thrown, error, options, outages)
      answerError(context, error, options)
    }
  }
}

function logError(
  { state: { requestId }, path }: RequestContext,
  thrown: unknown,
  error: ApiError,
  { log, isExpected }: ErrorOptions,
  outages: LogThrottle,
): void {
  if (error.status < 500) return
  if (isExpected?.(error) === true) log.debug({ requestId, path }, error.message)
  else if (error.code === databaseUnavailable) {
    // While the database is away all requests fail alike.
    const suppressed = outages.due()
    if (suppressed === undefined) return
    const others = suppressed === 0 ? {} : { untold: suppressed }
    log.error({ err: asError(thrown), requestId, path, ...others }, 'a request failed')
  } else if (error.status === 500) log.error({ err: asError(thrown), requestId, path }, 'a request failed')
  else log.warn({ requestId, path, code: error.code, reason: error.message }, 'a request failed')
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

export interface RequestOptions {
  /** For metrics, in the route of requests that lead nowhere: `ask`, `chat`. */
  readonly service: string
  readonly metrics: Metrics
  readonly log: Logger
  /** Where the paths of the service are listed. */
  readonly list: string
  /** What else a problem has. Default: nothing. */
  readonly describe?: (error: ApiError) => Readonly<Record<string, unknown>>
  /** Errors that are no answers of ours and still tell a client something. Default: none. */
  readonly translate?: (thrown: unknown) => ApiError | undefined
}

/** Both of the above, for servers that are not made by `createHttpServer`. */
export function requests({ service, describe, list, ...options }: RequestOptions): Middleware<RequestState> {
  const log = requestLog({ ...options, unmatched: `${service}: unmatched`, clientOf: clientReader(new BlockList()) })
  const answers = errors({
    ...options,
    isExpected: (error) => error.code === 'no-model',
    home: '/',
    unknownPath: (path) => `There is nothing at ${path}; ${list} lists what there is.`,
    errorFormOf: () => ({
      ...problemForm,
      bodyOf: (error, requestId, request) => ({
        ...(problemForm.bodyOf(error, requestId, request) as object),
        ...describe?.(error),
      }),
    }),
  })
  return async (context, next) => {
    await log(context, async () => {
      await answers(context, next)
    })
  }
}
