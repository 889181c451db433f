import { constants } from 'node:zlib'
import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import type { Client } from '../../base/client-address.ts'
import { clientNetwork } from '../../base/client-network.ts'
import { ApiError } from '../../base/errors.ts'
import { apiSecurityHeaders } from '../../base/http/api-headers.ts'
import { createOpeningServer } from '../../base/http/opening-server.ts'
import type { OpeningServer } from '../../base/http/opening-server.ts'
import type { RequestState } from '../../base/http/requests.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { SlidingWindow } from '../../base/sliding-window.ts'
import type { WalletNetwork } from '../chain/wallet-network.ts'
import { chainRoutes } from './chain-routes.ts'
import type { ChainNodes } from './chain-routes.ts'
import { explorerRoutes } from './explorer-routes.ts'
import { sessionRoutes } from './session-cookies.ts'
import type { SessionCookieOptions } from './session-cookies.ts'

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

export interface WalletServerOptions {
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
 * Starts the wallet: auth, passkeys, sessions of browsers, what their pages need of the chain and the explorer, and the pages.
 * @throws what the system says when the port cannot be bound; what `open` throws
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
  const window = new SlidingWindow({ most: chainPerMinute })
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
