import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError, asError } from '../platform/errors.ts'
import { documentRoutes } from '../platform/http/openapi.ts'
import type { ApiInfo } from '../platform/http/openapi.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Answer, Call, Route } from '../platform/http/route.ts'
import { guard } from '../platform/http/router.ts'
import { createHttpServer } from '../platform/http/server.ts'
import type { HttpServer, HttpServerOptions } from '../platform/http/server.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import { SlidingWindow } from '../platform/limits/sliding-window.ts'
import { authRoutes } from './auth/auth-routes.ts'
import type { AuthHttp } from './auth/create-auth.ts'
import { chainGuard, chainRoutes } from './chain-routes.ts'
import type { ChainNodes, ChainServices } from './chain-routes.ts'
import { clientRoutes } from './client-routes.ts'
import type { ClientSignIns } from './client-routes.ts'
import { passkeyRoutes } from './passkeys/passkey-function.ts'
import type { PasskeyFunction } from './passkeys/passkey-function.ts'
import { SessionCookies, sessionRoutes } from './session-cookies.ts'
import type { SessionCookieOptions } from './session-cookies.ts'
import { walletNetworks } from './settings.ts'

const settingsSchema = z
  .strictObject({
    url: z.string().describe('WALLET_URL.'),
    rp_id: z.string(),
    rp_name: z.string(),
    gotrue_url: z.string().describe('The auth endpoint: a path here, or GOTRUE_URL.'),
    passkey_auth_url: z.string(),
    cookie_domain: z.string().nullable(),
    clients: z
      .array(
        z
          .strictObject({ client_id: z.string(), name: z.string(), redirect_uri: z.string() })
          .meta({ id: 'ClientSettings' }),
      )
      .describe('Programs whose users sign in here, such as the editor.'),
    networks: z.array(
      z
        .strictObject({
          network: z.enum(walletNetworks),
          makes_accounts: z.boolean().describe('Whether a payer for new accounts is configured.'),
          explorer_url: z.string().nullable(),
          has_explorer_api: z.boolean().describe('Whether /explorer serves this network.'),
        })
        .meta({ id: 'NetworkSettings' }),
    ),
  })
  .meta({ id: 'WalletSettings' })
export type WalletSettings = z.output<typeof settingsSchema>

export interface WalletParts {
  readonly settings: () => WalletSettings
  /** Undefined with an external auth server. */
  readonly auth: AuthHttp | undefined
  readonly passkeys: Pick<PasskeyFunction, 'routes' | 'cors'>
  readonly session: SessionCookieOptions
  readonly signIns: ClientSignIns
  readonly nodes: ChainNodes
  /** Undefined without an explorer. */
  readonly explorerApi: () => string | undefined
  readonly page?: Middleware | undefined
}

interface WalletServices extends ChainServices, Pick<WalletParts, 'settings' | 'explorerApi' | 'signIns'> {
  readonly sessions: SessionCookies
}

const route = routesOf<WalletServices, { explorer: undefined }>()

const nftType = String.raw`A\.[0-9a-f]{16}(?:\.\w{1,200}){1,2}`
const account = String.raw`account\/(?:0x)?[0-9a-f]{16}(?:\/(?:ft|nft|nft\/${nftType}|transfer|transaction))?`
const onEvm = String.raw`coa\/0x[0-9a-f]{16}|evm\/address\/0x[0-9a-f]{40}(?:\/token)?`
const explorerPath = new RegExp(String.raw`^(?:${account}|${onEvm}|transaction\/(?:0x)?[0-9a-f]{64})$`, 'i')
const explorerTimeoutMs = 15_000

export const walletRoutes: readonly Route<WalletServices>[] = [
  route({
    path: '/health',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Whether the wallet runs',
    response: z.strictObject({ status: z.string(), service: z.string() }),
    handler: () => ({ body: { status: 'ok', service: 'wallet' } }),
  }),
  route({
    path: '/wallet/settings',
    operationId: 'getSettings',
    tag: 'Service',
    summary: 'Public settings for the pages of the wallet',
    response: settingsSchema,
    handler: (_input, { settings }) => ({ body: settings() }),
  }),
  ...sessionRoutes,
  ...clientRoutes,
  ...chainRoutes,
  route({
    path: '/explorer/flow/{path*}',
    operationId: 'readExplorer',
    tag: 'Chain',
    summary: 'Explorer API calls for wallet pages, whose CSP allows only their own origin',
    access: 'explorer',
    params: z.object({ path: z.string() }),
    handler: ({ call }, { explorerApi }) => readExplorer(call, explorerApi()),
  }),
]

export const documentedRoutes: readonly Route[] = [...walletRoutes, ...authRoutes, ...passkeyRoutes]

const limited = { 429: 'Too many requests. Retry after `Retry-After`.' }
const needsSession = { 401: 'No valid access token.', 403: 'The access token does not allow it.' }
const noMail = { 503: 'E-mail or the auth server is unavailable.' }

/** By the guard of the route. */
const errorsByAccess: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  otp: { ...limited, 403: 'Sign-up is disabled, or the user is banned.', ...noMail },
  verify: { ...limited, 403: 'The code or link is invalid, expired or already used.' },
  verifyPage: { ...limited, 403: 'The link is invalid, expired or already used.' },
  token: { ...limited, 403: 'The grant is refused.', 404: 'Unknown code verifier or token.' },
  user: needsSession,
  ownUser: { ...needsSession, ...limited, 422: 'The change is refused.', ...noMail },
  authorize: limited,
  callback: limited,
  admin: { ...needsSession, ...limited, 404: 'No user has this address.' },
  chain: {
    404: 'No access node of this network is configured, or the object does not exist.',
    ...limited,
    503: 'No access node of this network is available.',
  },
  explorer: { 404: 'The explorer has nothing at this path.', ...limited, 502: 'The explorer is unavailable.' },
  walletPage: { ...needsSession, ...limited },
  tokenRequest: { 403: 'The client is not registered with this origin.', ...limited },
}
const errorsOfSessions = {
  401: 'No session, or it has ended.',
  403: 'The request is not from a page of the wallet.',
  ...limited,
  503: 'The auth server is unavailable.',
}

export const walletApiInfo: ApiInfo = {
  title: 'flowfarm wallet',
  description: 'Sign-in (GoTrue), passkeys, sessions, clients and chain calls of the wallet.',
  sharedErrors: { InternalError: 'Internal error; see the server log.' },
  errorsOf: ({ access, tag }) => ({
    ...errorsByAccess[access],
    ...(tag === 'Session' ? errorsOfSessions : {}),
  }),
}

/** Per client. */
const maxChainCallsPerMinute = 600

interface WalletServerOptions extends Omit<HttpServerOptions, 'service'> {
  readonly open: (port: number) => Promise<WalletParts>
}

/** @throws the system error when the port cannot be bound */
export function createWalletServer(options: WalletServerOptions): Promise<HttpServer> {
  const window = new SlidingWindow({ max: maxChainCallsPerMinute })
  const admit = ({ client }: Call): void => {
    const { isAllowed, retryAfterSeconds } = window.take(clientNetwork(client.address))
    if (!isAllowed)
      throw new ApiError(
        429,
        'rate-limited',
        `Too many chain calls (limit ${maxChainCallsPerMinute} a minute). Try again in ${retryAfterSeconds} s.`,
        { details: { retryAfterSeconds } },
      )
  }
  return createHttpServer<WalletServices>({ ...options, service: 'wallet' }, async (port) => {
    const { auth, passkeys, session, signIns, page, ...parts } = await options.open(port)
    const sessions = new SessionCookies(session)
    return {
      routes: [
        ...walletRoutes,
        ...(auth?.routes ?? []),
        ...passkeys.routes,
        ...documentRoutes(() => documentedRoutes, walletApiInfo, { prefix: '/wallet' }),
      ],
      services: { ...parts, sessions, signIns, allowsOrigin: session.allows },
      guards: { ...auth?.guards, ...signIns.guards(), chain: chainGuard(admit), explorer: guard(admit) },
      before: [...(auth === undefined ? [] : [auth.cors]), passkeys.cors, sessions.protect(), signIns.cors()],
      retrySeconds: 1,
      home: '/',
      page,
    }
  })
}

/** Only path and query are passed on. The explorer does not limit this machine. */
async function readExplorer({ path, request }: Call, apiUrl: string | undefined): Promise<Answer<unknown>> {
  const flowPath = path.slice('/explorer/flow/'.length)
  if (!explorerPath.test(flowPath)) throw new ApiError(404, 'unknown-path', `There is nothing at ${path}.`)
  if (apiUrl === undefined) throw new ApiError(404, 'no-explorer', 'This wallet has no explorer.')
  const search = /\?.*$/.exec(request.url ?? '')?.[0] ?? ''
  try {
    const response = await fetch(`${apiUrl.replace(/\/$/, '')}/flow/${flowPath}${search}`, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(explorerTimeoutMs),
    })
    // Such as a new account, or one without EVM account: browsers log each 404.
    if (response.status === 404) return { body: { data: [], has_more: false, cursor: '' } }
    return {
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
      headers: { 'Content-Type': response.headers.get('content-type') ?? 'application/json' },
    }
  } catch (error) {
    throw new ApiError(502, 'explorer-unavailable', 'The explorer is unavailable. Try again in a moment.', {
      cause: asError(error),
    })
  }
}
