import { ApiError, asError } from '../platform/errors.ts'

/** A session as GoTrue writes it, as far as the cookie and the page need it. */
export interface AuthSession {
  readonly access_token: string
  readonly refresh_token: string
  /** Seconds since 1970. */
  readonly expires_at: number
  readonly user: Readonly<Record<string, unknown>>
}

export type SignOutScope = 'local' | 'global' | 'others'

/** What keeping a session in a cookie needs of the auth server. */
export interface AuthServer {
  /**
   * Trades a refresh token for the next one.
   * @param client address of who asks, for the limits of the auth server
   * @throws ApiError 401 `session-ended` where the token is no good (any more), 429, 503 where there is no answer: the session may live on then
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
