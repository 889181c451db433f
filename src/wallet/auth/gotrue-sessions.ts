import { decodeJwt } from 'jose'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { responseText } from '../../platform/outbound/response-text.ts'
import type { AuthSessions, AuthUser, SessionToken } from './auth-sessions.ts'
import { unauthorized } from './auth-sessions.ts'

interface GotrueOptions {
  readonly url: string
  /** Has the role service_role. Undefined: no passkey sign-in. */
  readonly serviceToken: string | undefined
}

const connectTimeoutMs = 10_000
const maxBytes = 1024 * 1024

const userForm = z.object({
  id: z.uuid(),
  email: z.string().nullish(),
  email_confirmed_at: z.string().nullish(),
  app_metadata: z.record(z.string(), z.unknown()).nullish(),
  user_metadata: z.record(z.string(), z.unknown()).nullish(),
})
const linkForm = z.object({ id: z.uuid(), hashed_token: z.string().min(1) })
const sessionForm = z.looseObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  user: z.looseObject({ id: z.string() }),
})
const claimsForm = z.object({
  sub: z.string(),
  session_id: z.string().min(1),
  client_id: z.string().nullish(),
  amr: z.array(z.object({ timestamp: z.number() })).nullish(),
})

/**
 * Checked on each call. Passkey sign-in creates a link there, which replaces an e-mailed one and
 * needs an e-mail address.
 */
export function createGotrueSessions({ url, serviceToken }: GotrueOptions): AuthSessions {
  const base = url.replace(/\/+$/, '')
  const ask = async (
    path: string,
    token: string,
    { body, refusals }: { readonly body?: unknown; readonly refusals: readonly number[] },
  ): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${token}`, ApiKey: serviceToken ?? token, Accept: 'application/json' }
    const response = await fetch(`${base}${path}`, {
      ...(body === undefined
        ? { headers }
        : { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(connectTimeoutMs),
    }).catch((error: unknown) => {
      throw away(error)
    })
    if (refusals.includes(response.status)) {
      await response.body?.cancel()
      return undefined
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw away(
        new Error(
          `status ${response.status}` + ([401, 403].includes(response.status) ? ': check GOTRUE_SERVICE_TOKEN' : ''),
        ),
      )
    }
    const text = await responseText(response, maxBytes, () => away(new Error('response too large')))
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw away(new Error('response is not JSON'))
    }
  }

  const serviceTokenOf = (): string => {
    if (serviceToken !== undefined) return serviceToken
    throw new ApiError(503, 'INTERNAL', 'Passkey sign-in with GOTRUE_URL requires GOTRUE_SERVICE_TOKEN.')
  }
  const findUser = async (userId: string): Promise<AuthUser | undefined> => {
    // Must not look like an unknown user: password managers delete passkeys of unknown users.
    const answer = await ask(`/admin/users/${encodeURIComponent(userId)}`, serviceTokenOf(), { refusals: [404] })
    if (answer === undefined) return undefined
    const user = userForm.safeParse(answer)
    if (!user.success || user.data.id !== userId) throw away(new Error('response is not the requested user'))
    return asUser(user.data)
  }

  const createSessionToken = async (userId: string): Promise<SessionToken | undefined> => {
    const token = serviceTokenOf()
    const user = await findUser(userId)
    if (user === undefined) return undefined
    if (user.email === undefined)
      throw new ApiError(
        409,
        'INVALID_INPUT',
        'Passkey sign-in requires an e-mail address at the auth server, which this account does not have.',
      )
    const link = linkForm.safeParse(
      await ask('/admin/generate_link', token, { body: { type: 'magiclink', email: user.email }, refusals: [] }),
    )
    if (!link.success) throw away(new Error('no link in the response'))
    // Several users may share one address, for example with single sign-on.
    if (link.data.id !== userId)
      throw new ApiError(
        409,
        'INVALID_INPUT',
        'Another user of the auth server has the same e-mail address, so passkey sign-in is not possible.',
      )
    return { tokenHash: link.data.hashed_token, email: user.email }
  }

  return {
    openForClient: async ({ userId }) => {
      const made = await createSessionToken(userId)
      if (made === undefined) return undefined
      const session = sessionForm.safeParse(
        await ask('/verify', serviceTokenOf(), {
          body: { type: 'magiclink', token_hash: made.tokenHash },
          refusals: [],
        }),
      )
      if (!session.success || session.data.user.id !== userId) throw away(new Error('no session in the response'))
      return session.data
    },
    authenticate: async (accessToken) => {
      const user = userForm.safeParse(await ask('/user', accessToken, { refusals: [401, 403, 404] }))
      if (!user.success) throw unauthorized(undefined)
      const claims = claimsForm.safeParse(readClaims(accessToken))
      if (!claims.success || claims.data.sub !== user.data.id) throw unauthorized(undefined)
      // Without a timestamp the sign-in counts as old, because access tokens are renewed.
      const seconds = Math.max(0, ...(claims.data.amr ?? []).map(({ timestamp }) => timestamp))
      return {
        user: asUser(user.data),
        sessionId: claims.data.session_id,
        authenticatedAt: new Date(seconds * 1000),
        ...(typeof claims.data.client_id === 'string' ? { clientId: claims.data.client_id } : {}),
      }
    },
    createSessionToken,
    findUser,
    lockUser: () => Promise.resolve(true),
  }
}

function readClaims(token: string): unknown {
  try {
    return decodeJwt(token)
  } catch {
    // An opaque token has no session id.
    return undefined
  }
}

function asUser({
  id,
  email,
  email_confirmed_at: confirmedAt,
  app_metadata: app,
  user_metadata: own,
}: z.infer<typeof userForm>): AuthUser {
  return {
    id,
    email: (email ?? '') === '' ? undefined : email?.toLowerCase(),
    isEmailConfirmed: (confirmedAt ?? '') !== '',
    appMetadata: app ?? {},
    userMetadata: own ?? {},
  }
}

function away(cause: unknown): ApiError {
  return new ApiError(503, 'INTERNAL', 'The auth server at GOTRUE_URL is unavailable. Try again.', {
    cause,
    details: { retryAfterSeconds: 5 },
  })
}
