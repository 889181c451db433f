import type { Middleware } from 'koa'
import { ApiError, asError } from '../../platform/errors.ts'
import { notFoundPage } from '../../platform/http/not-found-page.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { problemOf } from '../../platform/problem.ts'
import { ChainSilentError } from '../present-chain.ts'
import { databaseUnavailable, toApiError } from '../http/problem.ts'
import type { RequestState } from './request-log.ts'

const outageLineMs = 5000

/**
 * Turns whatever is thrown further in, and requests that nobody answers, into problems (RFC 9457).
 * @param readsMessages whether who asks for a path reads errors as JSON with a text in `error`: there the problem has that too
 */
export function problems(log: Logger, readsMessages: (path: string) => boolean): Middleware<RequestState> {
  const outages = new LogThrottle(outageLineMs)
  return async (context, next) => {
    try {
      await next()
      if (context.status === 404 && context.body === undefined) {
        throw new ApiError(404, 'unknown-path', `There is nothing at ${context.path}; /docs lists what there is.`)
      }
    } catch (thrown) {
      const error = toApiError(thrown)
      // When nodes fall silent is in the log already, once: not each question that only they could answer.
      if (error.cause instanceof ChainSilentError)
        log.debug({ requestId: context.state.requestId, path: context.path }, error.message)
      else if (error.status >= 500) {
        // While the database is away everybody's requests fail alike: who reads the log then looks for anything else.
        const untold = error.code === databaseUnavailable ? outages.due() : 0
        if (untold !== undefined) {
          const others = untold === 0 ? {} : { untold }
          log.error(
            { err: asError(thrown), requestId: context.state.requestId, path: context.path, ...others },
            'a request failed',
          )
        }
      }
      context.status = error.status
      context.set('Cache-Control', 'no-store')
      if (error.status === 503 && !context.res.hasHeader('Retry-After')) context.set('Retry-After', '1')
      if (error.status === 401) context.set('WWW-Authenticate', 'Bearer')
      // What is left of the body is not read.
      if (error.status === 413) context.set('Connection', 'close')
      context.vary('Accept')
      const page = notFoundPage(context.req, error, '/')
      if (page !== undefined) {
        context.set(page.headers)
        context.body = page.html
        return
      }
      const problem = problemOf(error, context.state.requestId)
      const isMessage = readsMessages(context.path)
      context.body = JSON.stringify(isMessage ? { error: problem.detail, ...problem } : problem)
      context.type = isMessage ? 'application/json' : 'application/problem+json'
    }
  }
}
