import { randomUUID } from 'node:crypto'
import type { Middleware, ParameterizedContext } from 'koa'
import { ApiError, asError, RetryableError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { problemOf } from '../../base/problem.ts'
import { asDatabaseError } from '../../db/errors.ts'
import { failureOf } from '../query-failure.ts'
import { presentFailure } from '../wire/present-failure.ts'

/** What is kept with a request. */
export interface RequestState {
  /** Sent back as X-Request-Id. */
  requestId: string
  /** For metrics: the declared path. */
  route?: string
}

export type AskContext = ParameterizedContext<RequestState>

/** The status, in metrics and log, of a request whose client went away before the answer was sent. */
const clientClosedRequest = 499

/**
 * Names each request, times it by its route, and turns whatever is thrown further in, and what nobody answers, into
 * problems (RFC 9457). These have their `detail` in `error` too, where clients of other query services look for it.
 */
export function requests(metrics: Metrics, log: Logger): Middleware<RequestState> {
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
      const route = context.state.route ?? 'ask: unmatched'
      const known = ['GET', 'HEAD', 'POST', 'DELETE'].includes(method) ? method : 'other'
      metrics.httpRequests.observe({ route, method: known, status: String(status) }, seconds)
      log.debug({ requestId, method, path, route, status, seconds }, 'answered')
    })
    try {
      await next()
      if (context.status === 404 && !context.body) {
        throw new ApiError(404, 'unknown-path', `There is nothing at ${path}; /docs lists what there is.`)
      }
    } catch (thrown) {
      if (context.res.destroyed) return
      answerProblem(context, thrown, log)
    }
  }
}

function answerProblem(context: AskContext, thrown: unknown, log: Logger): void {
  const { requestId } = context.state
  const error = toApiError(thrown)
  if (error.status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a request failed')
  else if (error.status > 500 && error.code !== 'no-model') log.warn({ requestId, path: context.path, code: error.code, reason: error.message }, 'a request failed')
  context.status = error.status
  context.set('Cache-Control', 'no-store')
  const { retryAfterSeconds } = error.details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (error.status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // What is left of the body is not read.
  if (error.status === 413) context.set('Connection', 'close')
  context.body = JSON.stringify({ ...problemOf(error, requestId), ...presentFailure(failureOf(error)) })
  context.type = 'application/problem+json'
}

/** What a client may know of an error. An error that is no answer of ours says nothing of itself. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (asDatabaseError(error) instanceof RetryableError) {
    return new ApiError(503, 'database-unavailable', 'The database does not answer at the moment; try again.', { cause: error, details: { retryAfterSeconds: 1 } })
  }
  return new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: error })
}
