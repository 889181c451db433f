import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Middleware } from 'koa'
import { ApiError, asError } from '../../base/errors.ts'
import type { RequestState } from '../../base/http/requests.ts'

const patienceMs = 15_000
/** What pages of a wallet have a use for: accounts with what they have and did, and transactions. */
const paths =
  /^\/explorer(\/flow\/(?:account\/(?:0x)?[0-9a-f]{16}(?:\/(?:ft|nft|transfer|transaction))?|transaction\/(?:0x)?[0-9a-f]{64}))$/i

/**
 * `GET /explorer/flow/…`: the explorer's API for pages of the wallet, whose policy lets them ask their own host alone. Of the request nothing but its
 * path and query goes on, so that neither cookie nor token leaves. The API takes the wallet for a program of its own machine, which has no limit
 * there: so there is one here.
 * @param apiUrl where the API is; asked at each request. Undefined: there is none
 * @param admit counts a call of a client. @throws ApiError 429
 */
export function explorerRoutes(
  apiUrl: () => string | undefined,
  admit: (request: IncomingMessage) => void,
): Middleware<RequestState> {
  return async (context, next) => {
    const [, path] = paths.exec(context.path) ?? []
    if (path === undefined) {
      await next()
      return
    }
    context.state.route = '/explorer'
    if (!['GET', 'HEAD'].includes(context.method))
      throw new ApiError(405, 'method-not-allowed', 'The explorer is only read here.')
    admit(context.req)
    const base = apiUrl()
    if (base === undefined) throw new ApiError(404, 'no-explorer', 'This wallet has no explorer.')
    let response: Response
    try {
      response = await fetch(`${base.replace(/\/$/, '')}${path}${context.search}`, {
        headers: { accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(patienceMs),
      })
    } catch (error) {
      throw new ApiError(502, 'explorer-unavailable', 'The explorer does not answer. Try again in a moment.', {
        cause: asError(error),
      })
    }
    context.status = response.status
    context.set('Cache-Control', 'no-store')
    context.type = response.headers.get('content-type') ?? 'application/json'
    context.body = response.body === null ? null : Readable.fromWeb(response.body)
  }
}
