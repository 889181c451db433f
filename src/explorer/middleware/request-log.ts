import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Client } from '../../platform/client-address.ts'
import type { Caching } from '../route.ts'

/** What the API keeps with a request. */
export interface RequestState {
  /** Who asks. */
  client: Client
  /** From `X-Request-Id` where that is a plain word, else made here; sent back in the same header. */
  requestId: string
  /** Declared path of the route that answers, once it is known. */
  route?: string
  /** How long the answer may be kept, once it is known. */
  caching?: Caching
}

/** The status, in metrics and log, of a request whose client went away before the answer was sent. */
const clientClosedRequest = 499

/**
 * Names each request, times it by its route and logs it at level debug: without its query and headers, in which there may
 * be what is nobody's business.
 */
export function requestLog(
  metrics: Metrics,
  log: Logger,
  clientOf: (request: IncomingMessage) => Client,
): Middleware<RequestState> {
  return async (context, next) => {
    const { state, request, response } = context
    // Read here, where an error has somebody to answer it.
    const { method, path } = request
    state.client = clientOf(context.req)
    const begin = process.hrtime.bigint()
    const given = request.get('X-Request-Id')
    state.requestId = /^[\w.-]{1,128}$/.test(given) ? given : randomUUID()
    response.set('X-Request-Id', state.requestId)
    context.res.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begin) / 1e9
      const status = context.res.writableFinished ? context.res.statusCode : clientClosedRequest
      const route = state.route ?? 'unmatched'
      metrics.httpRequests.observe({ route, method: knownMethod(method), status: String(status) }, seconds)
      log.debug({ requestId: state.requestId, method, path, route, status, seconds }, 'answered')
    })
    await next()
  }
}

/** Node hands through about thirty methods, and each would make new series for every route. */
function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? method : 'other'
}
