import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { constants } from 'node:zlib'
import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import type { Client } from '../platform/limits/clients.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import { ApiError, asError } from '../platform/errors.ts'
import { apiSecurityHeaders } from '../platform/http/server.ts'
import { createOpeningServer } from '../platform/http/opening-server.ts'
import type { OpeningServer } from '../platform/http/opening-server.ts'
import type { RequestState } from '../platform/http/requests.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { SlidingWindow } from '../platform/limits/sliding-window.ts'
import { chainRoutes } from './chain-routes.ts'
import type { ChainNodes } from './chain-routes.ts'
import { sessionRoutes } from './session-cookies.ts'
import type { SessionCookieOptions } from './session-cookies.ts'
import type { WalletNetwork } from './settings.ts'

/** What a page has to know before anybody has signed in; the names are those of its JSON. */
export interface WalletSettings {
  /** WALLET_URL. */
  readonly url: string
  readonly rp_id: string
  readonly rp_name: string
  /** Of the auth endpoint: a path here, or GOTRUE_URL. */
  readonly gotrue_url: string
  readonly passkey_auth_url: string
  readonly cookie_domain: string | null
  /** Programs that people sign in to here, such as the editor. */
  readonly clients: readonly { readonly client_id: string; readonly name: string; readonly redirect_uri: string }[]
  readonly networks: readonly {
    readonly network: WalletNetwork
    readonly makes_accounts: boolean
    readonly explorer_url: string | null
    readonly has_explorer_api: boolean
  }[]
}

/** What the wallet is put together of. */
export interface WalletParts {
  readonly settings: () => WalletSettings
  /** Answers `/auth/v1`. Undefined: somebody else's auth server signs people in. */
  readonly auth: Middleware<RequestState> | undefined
  /** Answers `/functions/v1/passkey-auth`. */
  readonly passkeys: Middleware<RequestState>
  readonly session: Omit<SessionCookieOptions, 'clientOf'>
  /** Answers `/oauth/…`. */
  readonly clients: Router<RequestState>
  readonly nodes: ChainNodes
  /** Where the API of the explorer is. Undefined: there is none. */
  readonly explorerApi: () => string | undefined
  /** Answers the paths of the page and its files. Default: there is none. */
  readonly page?: Middleware | undefined
}

interface WalletServerOptions {
  /** Puts the wallet together when its port is known, which links and origins need. */
  readonly open: (port: number) => Promise<WalletParts>
  readonly clientOf: (request: IncomingMessage) => Client
  readonly log: Logger
  readonly metrics: Metrics
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Questions about the chain of one client in a minute. Default 600. */
  readonly chainPerMinute?: number
  /** How long `close` waits for what is being answered, ms. Default 3,000. */
  readonly closeGraceMs?: number
}

/**
 * Starts the wallet: auth, passkeys, browser sessions, chain and explorer calls, and its pages.
 * @throws if the port cannot be bound; what `open` throws
 */
export function createWalletServer(options: WalletServerOptions): Promise<OpeningServer> {
  return createOpeningServer({
    ...options,
    service: 'wallet',
    open: async (port) => handlers(await options.open(port), options, options.clientOf),
  })
}

function handlers(
  { settings, auth, passkeys, session, clients, nodes, explorerApi, page }: WalletParts,
  { chainPerMinute = 600 }: WalletServerOptions,
  clientOf: WalletServerOptions['clientOf'],
): readonly Middleware<RequestState>[] {
  const window = new SlidingWindow({ max: chainPerMinute })
  const admit = (request: IncomingMessage): void => {
    const { isAllowed, retryAfterSeconds } = window.take(clientNetwork(clientOf(request).address))
    if (!isAllowed)
      throw new ApiError(
        429,
        'rate-limited',
        `A client asks at most ${chainPerMinute} times in a minute about the chain.`,
        { details: { retryAfterSeconds } },
      )
  }
  const own = new Router<RequestState>()
  own.get('/health', (context) => {
    context.state.route = '/health'
    context.body = { status: 'ok', service: 'wallet' }
  })
  own.get('/wallet/settings', (context) => {
    context.state.route = '/wallet/settings'
    context.set('Cache-Control', 'no-store')
    context.body = settings()
  })
  const sessions = sessionRoutes({ ...session, clientOf: (request) => clientOf(request).address })
  return [
    // Pages have headers of their own.
    async (context, next) => {
      context.set(apiSecurityHeaders)
      await next()
    },
    ...(auth === undefined ? [] : [auth]),
    passkeys,
    // The router adds what it needs to the context by itself.
    ...[sessions, own, clients, chainRoutes({ nodes, admit, allowsOrigin: session.allows })].map(
      (router) => router.routes() as unknown as Middleware<RequestState>,
    ),
    explorerRoutes(explorerApi, admit),
    compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } }),
    ...(page === undefined ? [] : [page as Middleware<RequestState>]),
  ]
}

const patienceMs = 15_000
/** What pages of a wallet have a use for: accounts with what they have and did, and transactions. */
const account = String.raw`account\/(?:0x)?[0-9a-f]{16}(?:\/(?:ft|nft|transfer|transaction))?`
const paths = new RegExp(String.raw`^\/explorer(\/flow\/(?:${account}|transaction\/(?:0x)?[0-9a-f]{64}))$`, 'i')

/**
 * `GET /explorer/flow/…`: the explorer's API for the wallet's pages, whose CSP allows their own host only. Only path
 * and query are passed on. The API does not limit this machine, so calls are limited here.
 * @param apiUrl read per request; undefined: there is none
 * @param admit counts a call. @throws ApiError 429
 */
function explorerRoutes(
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
