import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import { decodeJwt } from 'jose'
import { ApiError, asError } from '../platform/errors.ts'
import type { RequestContext, RequestState } from '../platform/http/requests.ts'
import { readJson } from '../platform/http/read-json.ts'

/** A session as GoTrue writes it, as far as the cookie and the page need it. */
interface AuthSession {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds since 1970. */
  readonly expires_at: number
  readonly user: Readonly<Record<string, unknown>>
}

type SignOutScope = 'local' | 'global' | 'others'

/** What keeping a session in a cookie needs of the auth server. */
export interface AuthServer {
  /**
   * Trades a refresh token.
   * @param client address, for limits of the auth server
   * @throws ApiError 401 `session-ended`, 429, 503 (the session may still be valid)
   */
  refresh(refreshToken: string, client: string): Promise<AuthSession>
  /** Ends sessions; one that has ended already is no error. @throws ApiError 503 */
  signOut(accessToken: string, scope: SignOutScope, client: string): Promise<void>
}

const patienceMs = 10_000

/** @param url of the auth endpoint: our own `/auth/v1`, or GOTRUE_URL */
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
        signal: AbortSignal.timeout(patienceMs),
        ...init,
        headers: { ...init.headers, 'X-Forwarded-For': client },
      })
    } catch (error) {
      throw new ApiError(
        503,
        'auth-unavailable',
        'The service that signs people in does not answer. Try again in a moment.',
        { cause: asError(error) },
      )
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
        throw new ApiError(
          503,
          'auth-unavailable',
          'The service that signs people in gave an answer that is no session.',
        )
      return session
    },
    async signOut(accessToken, scope, client) {
      const response = await call(`/logout?scope=${scope}`, client, {
        headers: { Authorization: `Bearer ${accessToken}` },
      })
      await response.body?.cancel()
      if (!response.ok && ![401, 403, 404].includes(response.status)) {
        throw new ApiError(
          503,
          'auth-unavailable',
          `The service that signs people in answered with status ${response.status}.`,
        )
      }
    },
  }
}

/** Only a plain refusal ends a session: a server that is busy or broken says nothing of it. */
async function refusal(response: Response): Promise<ApiError> {
  await response.body?.cancel()
  const { status } = response
  if (status === 429) {
    const wait = Number(response.headers.get('Retry-After'))
    return new ApiError(429, 'rate-limited', 'That was too often. Try again in a moment.', {
      details: { retryAfterSeconds: wait > 0 ? wait : 10 },
    })
  }
  return status >= 400 && status < 500 && status !== 408
    ? new ApiError(401, 'session-ended', 'This session has ended: sign in again.')
    : new ApiError(503, 'auth-unavailable', `The service that signs people in answered with status ${status}.`)
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
  /** Whether pages of an origin may have the session: those that may use the passkeys. */
  readonly allows: (origin: string) => boolean
  /** Address of who asks. */
  readonly clientOf: (request: IncomingMessage) => string
  /** WALLET_URL is https. Without it, which is for this machine alone, browsers take no cookie that is marked so. */
  readonly isSecure: boolean
  /**
   * Name of the cookie, without prefix: services of one host, such as those of localhost, have different ones. Default:
   * flowfarm-session.
   */
  readonly name?: string | undefined
  /** WALLET_COOKIE_DOMAIN. */
  readonly cookieDomain: string | undefined
  /** WALLET_SESSION_HOURS. */
  readonly sessionHours: number
  /** For how long the answer to a renewal is kept for who asks again with the same cookie, ms. Default 5,000. */
  readonly keptMs?: number
}

/** A header that other sites cannot send without a CORS preflight, which is refused. */
const proofHeader = 'x-wallet-session'
const maxTokenLength = 2048
const maxBodyBytes = 8192
const scopes: readonly SignOutScope[] = ['local', 'global', 'others']

/**
 * `/session`: a browser's session. An HttpOnly cookie holds the refresh token; pages keep access tokens in memory.
 *
 *     POST   {refresh_token} → cookie, {session}     after a sign-in; traded at once, since scripts saw it
 *     GET    cookie → next cookie, {session}         null where nobody is signed in
 *     DELETE ?scope= → 204                           503 without the auth server; the cookie is cleared
 */
export function sessionRoutes(options: SessionCookieOptions): Router<RequestState> {
  const { auth, clientOf } = options
  const { renew, forget } = oneByOne(options)
  const router = new Router<RequestState>()
  router.use('/session', async (context, next) => {
    context.state.route = '/session'
    context.set('Cache-Control', 'no-store')
    requireOwnPage(context, options)
    await next()
  })
  router.options('/session', (context) => {
    context.set({
      'Access-Control-Allow-Methods': 'GET, POST, DELETE',
      'Access-Control-Allow-Headers': `content-type, ${proofHeader}`,
      'Access-Control-Max-Age': '600',
    })
    context.status = 204
  })
  router.post('/session', async (context) => {
    const { refresh_token: given } = ((await readJson(context.req, maxBodyBytes)) ?? {}) as {
      readonly refresh_token?: unknown
    }
    if (typeof given !== 'string' || given === '' || given.length > maxTokenLength)
      throw new ApiError(400, 'bad-input', 'refresh_token has to be that of a session.', { field: 'refresh_token' })
    const before = readCookie(context, options)
    const session = await renew(given, clientOf(context.req))
    // A sign-in over another session ends that one. For the same session the cookie has the newest token.
    const other =
      before === undefined || before === given || before === session.refresh_token
        ? undefined
        : await renewQuietly(before, clientOf(context.req), options)
    const isSame =
      other !== undefined && sessionIdOf(other) !== undefined && sessionIdOf(other) === sessionIdOf(session)
    answer(context, options, isSame ? other : session)
    if (other !== undefined && !isSame) await endQuietly(other, clientOf(context.req), options)
  })
  router.get('/session', async (context) => {
    const token = readCookie(context, options)
    if (token === undefined) return answer(context, options, undefined)
    try {
      answer(context, options, await renew(token, clientOf(context.req)))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'session-ended') throw error
      answer(context, options, undefined)
    }
  })
  router.delete('/session', async (context) => {
    const scope = (context.URL.searchParams.get('scope') ?? 'local') as SignOutScope
    if (!scopes.includes(scope))
      throw new ApiError(400, 'bad-input', `scope has to be one of ${scopes.join(', ')}.`, { field: 'scope' })
    const token = readCookie(context, options)
    const client = clientOf(context.req)
    if (scope !== 'others') setCookie(context, options, undefined)
    if (token !== undefined) {
      const session = await renew(token, client).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'session-ended') return undefined
        throw error
      })
      if (scope !== 'others') forget(token)
      // The token before this one is used up, whatever becomes of the others.
      if (session !== undefined && scope === 'others') setCookie(context, options, session.refresh_token)
      if (session !== undefined) await auth.signOut(session.access_token, scope, client)
    }
    context.status = 204
  })
  return router
}

/** Our own pages only: other sites could sign users in or out. @throws ApiError 403 */
function requireOwnPage(context: RequestContext, { allows }: SessionCookieOptions): void {
  const origin = context.get('Origin')
  const isOurs = origin !== '' && allows(origin)
  if (origin !== '' && !isOurs)
    throw new ApiError(
      403,
      'origin-not-allowed',
      'Pages of this origin have no sessions here. Open the wallet at its own address.',
    )
  if (isOurs)
    context.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Cross-Origin-Resource-Policy': 'same-site',
    })
  context.vary('Origin')
  if (context.method === 'OPTIONS') return
  if (origin === '' && !['GET', 'HEAD'].includes(context.method))
    throw new ApiError(
      403,
      'origin-not-allowed',
      'Only pages change sessions, and browsers say which: the header Origin is missing.',
    )
  if (context.get(proofHeader) === '')
    throw new ApiError(403, 'origin-not-allowed', `Send the header ${proofHeader}, which pages of other sites cannot.`)
}

/**
 * Renews each token once, however many tabs ask: the auth server takes a second use for theft. Results are kept briefly
 * for late requests.
 */
function oneByOne({ auth, keptMs = 5000 }: SessionCookieOptions): {
  readonly renew: AuthServer['refresh']
  readonly forget: (token: string) => void
} {
  const running = new Map<string, Promise<AuthSession>>()
  const nameOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
  return {
    renew: (token, client) => {
      const name = nameOf(token)
      const known = running.get(name)
      if (known !== undefined) return known
      const renewed = auth.refresh(token, client)
      running.set(name, renewed)
      renewed.then(
        () => setTimeout(() => running.delete(name), keptMs).unref(),
        () => running.delete(name),
      )
      return renewed
    },
    forget: (token) => void running.delete(nameOf(token)),
  }
}

/** Undefined: it has ended, or cannot be asked for now. */
async function renewQuietly(
  token: string,
  client: string,
  { auth }: SessionCookieOptions,
): Promise<AuthSession | undefined> {
  try {
    return await auth.refresh(token, client)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

async function endQuietly(
  { access_token: accessToken }: AuthSession,
  client: string,
  { auth }: SessionCookieOptions,
): Promise<void> {
  try {
    await auth.signOut(accessToken, 'local', client)
  } catch (error) {
    // It ends by itself; the new one is there, which is what was asked for.
    if (!(error instanceof ApiError)) throw error
  }
}

/** Which session an access token is of; nobody is let in by it here. */
function sessionIdOf({ access_token: accessToken }: AuthSession): unknown {
  try {
    return decodeJwt(accessToken)['session_id']
  } catch {
    // Of an auth server whose tokens say nothing.
    return undefined
  }
}

function answer(context: RequestContext, options: SessionCookieOptions, session: AuthSession | undefined): void {
  if (session !== undefined || readCookie(context, options) !== undefined)
    setCookie(context, options, session?.refresh_token)
  context.status = 200
  context.type = 'application/json'
  context.body = JSON.stringify({
    session:
      session === undefined
        ? null
        : { access_token: session.access_token, expires_at: session.expires_at, user: session.user },
  })
}

/** `__Host-` and `__Secure-`: nobody on another host of the site, or without TLS, can put one of this name. */
function cookieName({ isSecure, cookieDomain, name = 'flowfarm-session' }: SessionCookieOptions): string {
  if (!isSecure) return name
  return cookieDomain === undefined ? `__Host-${name}` : `__Secure-${name}`
}

function setCookie(context: RequestContext, options: SessionCookieOptions, token: string | undefined): void {
  const { isSecure, cookieDomain, sessionHours } = options
  const parts = [
    `${cookieName(options)}=${token === undefined ? '' : encodeURIComponent(token)}`,
    'Path=/',
    `Max-Age=${token === undefined ? 0 : sessionHours * 3600}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    ...(cookieDomain === undefined ? [] : [`Domain=${cookieDomain}`]),
  ]
  context.set('Set-Cookie', parts.join('; '))
}

function readCookie(context: RequestContext, options: SessionCookieOptions): string | undefined {
  const start = `${cookieName(options)}=`
  const text = context
    .get('Cookie')
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
