import { randomUUID } from 'node:crypto'
import type { Middleware, ParameterizedContext } from 'koa'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { problemOf } from '../problem.ts'
import { notFoundPage } from './not-found-page.ts'

/** What is kept with a request. */
export interface RequestState {
  /** Sent back as X-Request-Id. */
  requestId: string
  /** For metrics: the declared path. */
  route?: string
}

export type RequestContext = ParameterizedContext<RequestState>

export interface RequestOptions {
  /** For metrics, in the route of requests that lead nowhere: `ask`, `chat`. */
  readonly service: string
  readonly metrics: Metrics
  readonly log: Logger
  /** Where there is a list of what there is, for those who ask for what there is not. */
  readonly list: string
  /** What else a problem has. Default: nothing. */
  readonly describe?: (error: ApiError) => Readonly<Record<string, unknown>>
  /** Errors that are no answers of ours and still tell a client something. Default: none. */
  readonly translate?: (thrown: unknown) => ApiError | undefined
}

/** The status, in metrics and log, of a request whose client went away before the answer was sent. */
const clientClosedRequest = 499

/** Names each request, times it by its route, and turns whatever is thrown further in, and what nobody answers, into problems (RFC 9457). */
export function requests(options: RequestOptions): Middleware<RequestState> {
  const { service, metrics, log, list } = options
  return async (context, next) => {
    const begin = performance.now()
    const given = context.get('X-Request-Id')
    const requestId = /^[\w.-]{1,128}$/.test(given) ? given : randomUUID()
    context.state.requestId = requestId
    context.set('X-Request-Id', requestId)
    const { method, path } = context
    context.res.once('close', () => {
      const seconds = (performance.now() - begin) / 1000
      const status = context.res.writableFinished ? context.res.statusCode : clientClosedRequest
      const route = context.state.route ?? `${service}: unmatched`
      const known = ['GET', 'HEAD', 'POST', 'DELETE'].includes(method) ? method : 'other'
      metrics.httpRequests.observe({ route, method: known, status: String(status) }, seconds)
      log.debug({ requestId, method, path, route, status, seconds }, 'answered')
    })
    try {
      await next()
      if (context.status === 404 && !context.body) {
        throw new ApiError(404, 'unknown-path', `There is nothing at ${context.path}; ${list} lists what there is.`)
      }
    } catch (thrown) {
      if (context.res.destroyed) return
      answerProblem(context, thrown, options)
    }
  }
}

function answerProblem(context: RequestContext, thrown: unknown, { log, describe, translate }: RequestOptions): void {
  const { requestId } = context.state
  const error = toApiError(thrown, translate)
  if (error.status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a request failed')
  else if (error.status > 500 && error.code !== 'no-model')
    log.warn({ requestId, path: context.path, code: error.code, reason: error.message }, 'a request failed')
  context.status = error.status
  context.set('Cache-Control', 'no-store')
  const { retryAfterSeconds } = error.details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (error.status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  context.vary('Accept')
  const page = notFoundPage(context.req, error, '/')
  if (page !== undefined) {
    context.set(page.headers)
    context.body = page.html
    return
  }
  // What is left of the body is not read.
  if (error.status === 413 && !context.req.complete) context.set('Connection', 'close')
  context.body = JSON.stringify({ ...problemOf(error, requestId), ...describe?.(error) })
  context.type = 'application/problem+json'
}

/** What a client may know of an error. An error that is no answer of ours says nothing of itself. */
function toApiError(error: unknown, translate: RequestOptions['translate']): ApiError {
  if (error instanceof ApiError) return error
  return (
    translate?.(error) ??
    new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: error })
  )
}
