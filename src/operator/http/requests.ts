import { randomUUID } from 'node:crypto'
import type { Middleware, ParameterizedContext } from 'koa'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { ApiError, asError, FatalError, RetryableError } from '../../platform/errors.ts'
import { notFoundPage } from '../../platform/http/not-found-page.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { problemOf } from '../../platform/http/problem.ts'

/** Longest body: ten thousand leases by name. */
export const maxBodyBytes = 1024 * 1024

/** What is kept with a request. */
export interface RequestState {
  /** Sent back as X-Request-Id. */
  requestId: string
  /** For metrics: the declared path, or what stands for many. */
  route?: string
}

export type OperatorContext = ParameterizedContext<RequestState>

/**
 * Names each request, counts it by its route, and turns whatever is thrown further in, and what nobody answers, into
 * problems.
 */
export function requests(metrics: Metrics, log: Logger): Middleware<RequestState> {
  return async (context, next) => {
    const begin = process.hrtime.bigint()
    const requestId = randomUUID()
    context.state.requestId = requestId
    context.set('X-Request-Id', requestId)
    context.res.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begin) / 1e9
      const {
        method,
        path,
        state: { route = 'operator' },
        status,
      } = context
      // A stream lasts as long as somebody looks: its time says nothing.
      if (!route.endsWith('/stream')) metrics.httpRequests.observe({ route, method, status: String(status) }, seconds)
      log.debug({ requestId, method, path, status, seconds }, 'answered')
    })
    try {
      await next()
      if (context.status === 404 && !context.body)
        throw new ApiError(404, 'unknown-path', `There is nothing at ${context.path}.`)
    } catch (thrown) {
      const error = toApiError(thrown)
      if (error.status >= 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a request failed')
      context.status = error.status
      context.set('Cache-Control', 'no-store')
      if (error.status === 503) context.set('Retry-After', '1')
      context.vary('Accept')
      const page = notFoundPage(context.req, error, '/operator')
      if (page !== undefined) {
        context.set(page.headers)
        context.body = page.html
        return
      }
      context.body = JSON.stringify(problemOf(error, requestId))
      context.type = 'application/problem+json'
    }
  }
}

/** What a client may know of an error. An error that is no answer of ours says nothing of itself. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // Not all statements throw errors of our tree; what is no error of the database stays what it is.
  const known = asDatabaseError(error)
  if (known.code === 'queue-unavailable') return new ApiError(503, known.code, known.message, { cause: error })
  if (known instanceof RetryableError) {
    return new ApiError(503, 'database-unavailable', 'The database does not answer at the moment; try again.', {
      cause: error,
    })
  }
  // Written for whoever runs the program, and that is who asks.
  if (error instanceof FatalError && error.code !== 'database-error') {
    return new ApiError(500, error.code, error.message, { cause: error })
  }
  return new ApiError(500, 'internal-error', 'Something went wrong here; the log tells what.', { cause: error })
}
