import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { ApiError } from '../../platform/errors.ts'
import { responseText } from '../../platform/outbound/response-text.ts'
import { authError } from './auth-parts.ts'
import { readEmail } from '../../platform/mail/email-address.ts'
import type { ProviderAccount } from './stores/users.ts'

interface ProviderRequest {
  readonly state: string
  /** PKCE, S256. */
  readonly codeChallenge: string
  readonly nonce: string
  readonly redirectUri: string
}

interface ProviderAnswer {
  readonly code: string
  readonly codeVerifier: string
  readonly nonce: string
  readonly redirectUri: string
}

export interface OAuthProvider {
  readonly name: string
  authorizeUrl(request: ProviderRequest): string
  /**
   * @throws ApiError 422 `provider_email_needs_verification`; 400 `bad_oauth_callback`; 502
   * `unexpected_failure`
   */
  identify(answer: ProviderAnswer): Promise<ProviderAccount>
}

export interface OAuthApplication {
  readonly clientId: string
  readonly clientSecret: string
}

const githubEndpoints = {
  authorize: 'https://github.com/login/oauth/authorize',
  token: 'https://github.com/login/oauth/access_token',
  user: 'https://api.github.com/user',
  emails: 'https://api.github.com/user/emails',
}

export function githubProvider(
  { clientId, clientSecret }: OAuthApplication,
  endpoints = githubEndpoints,
): OAuthProvider {
  return {
    name: 'github',
    authorizeUrl: ({ state, codeChallenge, redirectUri }) =>
      `${endpoints.authorize}?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      }).toString()}`,
    identify: async ({ code, codeVerifier, redirectUri }) => {
      const { access_token: token } = await tradeCode(endpoints.token, {
        client_id: clientId,
        client_secret: clientSecret,
        code,
        code_verifier: codeVerifier,
        redirect_uri: redirectUri,
      })
      if (typeof token !== 'string') throw providerAway('no token in the response')
      const headers = {
        Accept: 'application/vnd.github+json',
        Authorization: `Bearer ${token}`,
        'User-Agent': 'flowfarm',
      }
      const [user, emails] = await Promise.all([
        askProvider(endpoints.user, { headers }),
        askProvider(endpoints.emails, { headers }),
      ])
      const profile = asRecord(user)
      if (typeof profile['id'] !== 'number' || !Number.isSafeInteger(profile['id']))
        throw providerAway('no user id in the response')
      const email = verifiedEmail(emails)
      if (email === undefined) throw emailUnverified('GitHub')
      return {
        provider: 'github',
        providerId: String(profile['id']),
        email,
        data: {
          ...shortTexts(profile, { name: 'name', user_name: 'login', avatar_url: 'avatar_url' }),
          email_verified: true,
        },
      }
    },
  }
}

/** The profile's public address is unverified. */
function verifiedEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) throw providerAway('no e-mail addresses in the response')
  const primary = emails.map(asRecord).find((one) => one['primary'] === true && one['verified'] === true)
  return readEmail(primary?.['email'])
}

const googleEndpoints = {
  authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
  token: 'https://oauth2.googleapis.com/token',
  keys: 'https://www.googleapis.com/oauth2/v3/certs',
  issuers: ['https://accounts.google.com', 'accounts.google.com'],
}

/** OpenID Connect with PKCE and a nonce. */
export function googleProvider(
  { clientId, clientSecret }: OAuthApplication,
  endpoints = googleEndpoints,
): OAuthProvider {
  const keys = createRemoteJWKSet(new URL(endpoints.keys), { timeoutDuration: 10_000 })
  return {
    name: 'google',
    authorizeUrl: ({ state, codeChallenge, nonce, redirectUri }) =>
      `${endpoints.authorize}?${new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        prompt: 'select_account',
      }).toString()}`,
    identify: async ({ code, codeVerifier, nonce, redirectUri }) => {
      const { id_token: token } = await tradeCode(endpoints.token, {
        client_id: clientId,
        client_secret: clientSecret,
        code,
        code_verifier: codeVerifier,
        redirect_uri: redirectUri,
      })
      if (typeof token !== 'string') throw providerAway('no token in the response')
      const payload = await verified(
        async () =>
          (
            await jwtVerify(token, keys, {
              algorithms: ['RS256'],
              issuer: [...endpoints.issuers],
              audience: clientId,
              requiredClaims: ['exp', 'sub', 'nonce'],
            })
          ).payload,
      )
      const { sub = '' } = payload
      if (payload['nonce'] !== nonce || sub === '' || sub.length > 255)
        throw authError(400, 'bad_oauth_callback', 'The ID token belongs to another sign-in. Start again.')
      const email = payload['email_verified'] === true ? readEmail(payload['email']) : undefined
      if (email === undefined) throw emailUnverified('Google')
      return {
        provider: 'google',
        providerId: sub,
        email,
        data: { ...shortTexts(payload, { name: 'name', avatar_url: 'picture' }), email_verified: true },
      }
    },
  }
}

async function verified(read: () => Promise<JWTPayload>): Promise<JWTPayload> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof errors.JWKSTimeout) throw providerAway('no response')
    if (error instanceof errors.JOSEError)
      throw authError(400, 'bad_oauth_callback', 'The ID token is invalid. Start again.')
    throw providerAway('keys unavailable')
  }
}

const connectTimeoutMs = 10_000
const maxBytes = 1024 * 1024

/**
 * Error responses may quote the request, so they are not passed on. @throws ApiError 502
 * `unexpected_failure`
 */
async function askProvider(url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(connectTimeoutMs) })
    const text = await responseText(response, maxBytes, () => new Error('too long'))
    // OAuth errors have status 400; callers handle them.
    if (!response.ok && response.status !== 400) throw providerAway(`status ${response.status}`)
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw providerAway(error instanceof SyntaxError ? 'response is not JSON' : 'no response')
  }
}

/** RFC 6749 §4.1.3, RFC 7636 §4.5. @throws ApiError 400 `bad_oauth_callback`, 502 */
async function tradeCode(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = asRecord(
    await askProvider(url, {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'authorization_code', ...form }).toString(),
    }),
  )
  // GitHub reports errors with status 200.
  const { error } = answer
  if (error === undefined) return answer
  const reason = typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'not an OAuth error'
  throw authError(400, 'bad_oauth_callback', 'The provider rejected the code. Start again.', { reason })
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw providerAway('response is not an object')
}

function providerAway(reason: string): ApiError {
  return authError(
    502,
    'unexpected_failure',
    `The provider cannot tell who you are at the moment (${reason}): try again.`,
  )
}

function emailUnverified(provider: string): ApiError {
  return authError(
    422,
    'provider_email_needs_verification',
    `Your account at ${provider} has no verified e-mail address: verify it there, or sign in by e-mail here.`,
  )
}

/** Cut to a length that a profile needs. */
function shortTexts(
  from: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, source] of Object.entries(names)) {
    const value = from[source]
    if (typeof value === 'string' && value !== '')
      found[name] = value.toWellFormed().replaceAll('\0', '').slice(0, 500).toWellFormed()
  }
  return found
}
