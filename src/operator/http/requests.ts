import { randomUUID } from 'node:crypto'
import type { Middleware, ParameterizedContext } from 'koa'
import { ApiError, asError } from '../../base/errors.ts'
import { notFoundPage } from '../../base/http/not-found-page.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { problemOf } from '../../base/problem.ts'
import { toApiError } from './to-api-error.ts'

/** Longest body: ten thousand leases by name. */
export const mostBodyBytes = 1024 * 1024

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
