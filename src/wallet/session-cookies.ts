import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError, asError } from '../platform/errors.ts'
import { problemForm } from '../platform/http/problem.ts'
import type { RequestContext, RequestState } from '../platform/http/requests.ts'
import { bindRoutes, routesOf } from '../platform/http/route.ts'
import type { Answer, Call, Route } from '../platform/http/route.ts'

interface AuthSession {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds since 1970. */
  readonly expires_at: number
  readonly user: Readonly<Record<string, unknown>>
}

type SignOutScope = 'local' | 'global' | 'others'

export interface AuthServer {
  /** @throws ApiError 401 `session-ended`, 429, 503 (the session may still be valid) */
  refresh(refreshToken: string, client: string): Promise<AuthSession>
  /** Also succeeds for ended sessions. @throws ApiError 503 */
  signOut(accessToken: string, scope: SignOutScope, client: string): Promise<void>
}

const connectTimeoutMs = 10_000

/** @param url `/auth/v1`, or GOTRUE_URL */
export function createAuthServer(url: string): AuthServer {
  const call = async (
    path: string,
    client: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Response> => {
    try {
      return await fetch(`${url.replace(/\/$/, '')}${path}`, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(connectTimeoutMs),
        ...init,
        headers: { ...init.headers, 'X-Forwarded-For': client },
      })
    } catch (error) {
      throw new ApiError(503, 'auth-unavailable', 'The auth server is unavailable. Try again in a moment.', {
        cause: asError(error),
      })
    }
  }
  return {
    async refresh(refreshToken, client) {
      const response = await call('/token?grant_type=refresh_token', client, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ refresh_token: refreshToken }),
      })
      if (!response.ok) throw await refusal(response)
      const session = readSession(await response.json().catch(() => undefined))
      if (session === undefined)
        throw new ApiError(503, 'auth-unavailable', 'The auth server returned an invalid session.')
      return session
    },
    async signOut(accessToken, scope, client) {
      const response = await call(`/logout?scope=${scope}`, client, {
        headers: { Authorization: `Bearer ${accessToken}` },
      })
      await response.body?.cancel()
      if (!response.ok && ![401, 403, 404].includes(response.status)) {
        throw new ApiError(503, 'auth-unavailable', `The auth server returned status ${response.status}.`)
      }
    },
  }
}

/** Only a 4xx ends a session. */
async function refusal(response: Response): Promise<ApiError> {
  await response.body?.cancel()
  const { status } = response
  if (status === 429) {
    const wait = Number(response.headers.get('Retry-After'))
    return new ApiError(429, 'rate-limited', 'Too many requests. Try again in a moment.', {
      details: { retryAfterSeconds: wait > 0 ? wait : 10 },
    })
  }
  return status >= 400 && status < 500 && status !== 408
    ? new ApiError(401, 'session-ended', 'The session has ended. Sign in again.')
    : new ApiError(503, 'auth-unavailable', `The auth server returned status ${status}.`)
}

function readSession(body: unknown): AuthSession | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const {
    access_token: access,
    refresh_token: refresh,
    expires_at: at,
    expires_in: seconds,
    user,
  } = body as Readonly<Record<string, unknown>>
  if (typeof access !== 'string' || typeof refresh !== 'string' || access === '' || refresh === '') return undefined
  const expiresAt =
    typeof at === 'number' ? at : Math.floor(Date.now() / 1000) + (typeof seconds === 'number' ? seconds : 3600)
  return {
    access_token: access,
    refresh_token: refresh,
    expires_at: expiresAt,
    user: typeof user === 'object' && user !== null ? (user as Readonly<Record<string, unknown>>) : {},
  }
}

export interface SessionCookieOptions {
  readonly auth: AuthServer
  readonly allows: (origin: string) => boolean
  /** Served over HTTPS; otherwise browsers reject `Secure` cookies. */
  readonly isSecure: boolean
  /** Services on one host need different names. Default: flowfarm-session. */
  readonly name?: string | undefined
  readonly cookieDomain: string | undefined
  readonly sessionHours: number
}

/** Other sites need a CORS preflight for it. */
const proofHeader = 'x-wallet-session'
const maxTokenLength = 2048
/** Requests with the same cookie share one renewal. */
const renewalReuseMs = 5000

const presentedSession = z
  .strictObject({
    session: z
      .strictObject({ access_token: z.string(), expires_at: z.number(), user: z.record(z.string(), z.unknown()) })
      .nullable()
      .describe('null without a session.'),
  })
  .meta({ id: 'BrowserSession' })

interface SessionServices {
  readonly sessions: SessionCookies
}

const route = routesOf<SessionServices>()
const shared = { path: '/session', tag: 'Session' } as const

/** The cookie holds the refresh token, the page the access token in memory. */
export const sessionRoutes: readonly Route<SessionServices>[] = [
  route({
    ...shared,
    method: 'POST',
    operationId: 'startSession',
    summary: 'Exchange a refresh token for a session in a cookie',
    maxBodyBytes: 8192,
    body: z.object({ refresh_token: z.string().min(1).max(maxTokenLength) }),
    response: presentedSession,
    handler: ({ body, call }, { sessions }) => sessions.start(body.refresh_token, call),
  }),
  route({
    ...shared,
    operationId: 'getSession',
    summary: 'Renew the session of the cookie',
    response: presentedSession,
    handler: ({ call }, { sessions }) => sessions.read(call),
  }),
  route({
    ...shared,
    method: 'DELETE',
    operationId: 'endSession',
    summary: 'Sign out',
    query: z.object({ scope: z.enum(['local', 'global', 'others']).default('local') }),
    successStatus: 204,
    errorForm: { ...problemForm, headersOf: ({ details: { cookie } }) => cookieHeader(cookie) },
    problems: { 503: 'The auth server is unavailable.' },
    handler: ({ query, call }, { sessions }) => sessions.end(query.scope, call),
  }),
]

function cookieHeader(cookie: unknown): Record<string, string> {
  return typeof cookie === 'string' ? { 'Set-Cookie': cookie } : {}
}

export interface MountedSession {
  readonly routes: readonly Route<unknown>[]
  readonly protect: Middleware<RequestState>
}

type SessionAnswer = Answer<z.output<typeof presentedSession>>

/** Renews each refresh token once: the auth server treats a second use as theft. */
export class SessionCookies {
  readonly #options: SessionCookieOptions
  readonly #renewals = new Map<string, Promise<AuthSession>>()

  constructor(options: SessionCookieOptions) {
    this.#options = options
  }

  mount(): MountedSession {
    return { routes: bindRoutes(sessionRoutes, { sessions: this }), protect: this.protect() }
  }

  async start(refreshToken: string, call: Call): Promise<SessionAnswer> {
    const before = this.#cookieOf(call)
    const session = await this.#renew(refreshToken, call)
    const other =
      before === undefined || before === refreshToken || before === session.refresh_token
        ? undefined
        : await this.#renewQuietly(before, call)
    const isSame =
      other !== undefined && sessionIdOf(other) !== undefined && sessionIdOf(other) === sessionIdOf(session)
    // The cookie of the same session has the newest token.
    const answer = this.#answer(isSame ? other : session, call)
    if (other !== undefined && !isSame) await this.#endQuietly(other, call)
    return answer
  }

  async read(call: Call): Promise<SessionAnswer> {
    const token = this.#cookieOf(call)
    return this.#answer(token === undefined ? undefined : await this.#renewUnlessEnded(token, call), call)
  }

  /** Clears the cookie even if the auth server is unavailable. @throws ApiError 503 */
  async end(scope: SignOutScope, call: Call): Promise<Answer<never>> {
    const token = this.#cookieOf(call)
    let cookie = scope === 'others' ? undefined : this.#cookie(undefined)
    try {
      if (token !== undefined) {
        const session = await this.#renewUnlessEnded(token, call)
        if (scope !== 'others') this.#renewals.delete(digestOf(token))
        // The renewal used the old token up.
        else if (session !== undefined) cookie = this.#cookie(session.refresh_token)
        if (session !== undefined) await this.#options.auth.signOut(session.access_token, scope, call.client.address)
      }
    } catch (error) {
      if (!(error instanceof ApiError) || cookie === undefined) throw error
      throw new ApiError(error.status, error.code, error.message, {
        cause: error,
        details: { ...error.details, cookie },
      })
    }
    return cookie === undefined ? {} : { headers: { 'Set-Cookie': cookie } }
  }

  /** Rejects pages of other sites, which could sign users in or out. */
  protect(): Middleware<RequestState> {
    return async (context, next) => {
      if (context.path !== '/session') {
        await next()
        return
      }
      context.state.route = '/session'
      this.#requireOwnPage(context)
      if (context.method !== 'OPTIONS') {
        await next()
        return
      }
      context.set({
        'Access-Control-Allow-Methods': 'GET, POST, DELETE',
        'Access-Control-Allow-Headers': `content-type, ${proofHeader}`,
        'Access-Control-Max-Age': '600',
      })
      context.status = 204
    }
  }

  /** @throws ApiError 403 `origin-not-allowed` */
  #requireOwnPage(context: RequestContext): void {
    const origin = context.get('Origin')
    const isAllowed = origin !== '' && this.#options.allows(origin)
    if (origin !== '' && !isAllowed) throw refusedOrigin(`${origin} is not an origin of this service.`)
    if (isAllowed)
      context.set({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        'Cross-Origin-Resource-Policy': 'same-site',
      })
    context.vary('Origin')
    if (context.method === 'OPTIONS') return
    if (origin === '' && !['GET', 'HEAD'].includes(context.method))
      throw refusedOrigin('Only pages can change sessions: the Origin header is missing.')
    if (context.get(proofHeader) === '') throw refusedOrigin(`The header ${proofHeader} is missing.`)
  }

  #renew(token: string, { client }: Call): Promise<AuthSession> {
    const name = digestOf(token)
    const known = this.#renewals.get(name)
    if (known !== undefined) return known
    const renewed = this.#options.auth.refresh(token, client.address)
    this.#renewals.set(name, renewed)
    renewed.then(
      () => setTimeout(() => this.#renewals.delete(name), renewalReuseMs).unref(),
      () => this.#renewals.delete(name),
    )
    return renewed
  }

  async #renewUnlessEnded(token: string, call: Call): Promise<AuthSession | undefined> {
    try {
      return await this.#renew(token, call)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'session-ended') return undefined
      throw error
    }
  }

  async #renewQuietly(token: string, { client }: Call): Promise<AuthSession | undefined> {
    try {
      return await this.#options.auth.refresh(token, client.address)
    } catch (error) {
      if (error instanceof ApiError) return undefined
      throw error
    }
  }

  async #endQuietly({ access_token: accessToken }: AuthSession, { client }: Call): Promise<void> {
    try {
      await this.#options.auth.signOut(accessToken, 'local', client.address)
    } catch (error) {
      // The old session expires by itself.
      if (!(error instanceof ApiError)) throw error
    }
  }

  #answer(session: AuthSession | undefined, call: Call): SessionAnswer {
    const body = {
      session:
        session === undefined
          ? null
          : { access_token: session.access_token, expires_at: session.expires_at, user: session.user },
    }
    if (session === undefined && this.#cookieOf(call) === undefined) return { body }
    return { body, headers: { 'Set-Cookie': this.#cookie(session?.refresh_token) } }
  }

  /** Other hosts and connections without TLS cannot set cookies with these prefixes. */
  get #cookieName(): string {
    const { isSecure, cookieDomain, name = 'flowfarm-session' } = this.#options
    if (!isSecure) return name
    return cookieDomain === undefined ? `__Host-${name}` : `__Secure-${name}`
  }

  #cookie(token: string | undefined): string {
    const { isSecure, cookieDomain, sessionHours } = this.#options
    return [
      `${this.#cookieName}=${token === undefined ? '' : encodeURIComponent(token)}`,
      'Path=/',
      `Max-Age=${token === undefined ? 0 : sessionHours * 3600}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure ? ['Secure'] : []),
      ...(cookieDomain === undefined ? [] : [`Domain=${cookieDomain}`]),
    ].join('; ')
  }

  #cookieOf(call: Call): string | undefined {
    const start = `${this.#cookieName}=`
    const text = call
      .header('Cookie')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(start))
      ?.slice(start.length)
    if (text === undefined || text === '' || text.length > maxTokenLength) return undefined
    try {
      return decodeURIComponent(text)
    } catch (error) {
      if (error instanceof URIError) return undefined
      throw error
    }
  }
}

function refusedOrigin(reason: string): ApiError {
  return new ApiError(403, 'origin-not-allowed', `${reason} Open the wallet at its own address.`)
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Unverified. */
function sessionIdOf({ access_token: accessToken }: AuthSession): unknown {
  try {
    return decodeJwt(accessToken)['session_id']
  } catch {
    // Tokens of other auth servers may be opaque.
    return undefined
  }
}
