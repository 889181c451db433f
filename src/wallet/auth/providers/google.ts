import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { authError } from '../auth-error.ts'
import { readEmail } from '../users/email-address.ts'
import { emailUnverified, providerAway, shortTexts, tradeCode } from './ask-provider.ts'
import type { OAuthApplication, OAuthProvider } from './oauth-provider.ts'

export const googleEndpoints = {
  authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
  token: 'https://oauth2.googleapis.com/token',
  keys: 'https://www.googleapis.com/oauth2/v3/certs',
  issuers: ['https://accounts.google.com', 'accounts.google.com'],
}

/** Sign-in with Google: OpenID Connect with PKCE and a nonce. */
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
      if (typeof token !== 'string') throw providerAway('it gave no token')
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
        throw authError(400, 'bad_oauth_callback', 'What Google signed is of another sign-in: begin again.')
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
    if (error instanceof errors.JWKSTimeout) throw providerAway('it did not answer')
    if (error instanceof errors.JOSEError)
      throw authError(400, 'bad_oauth_callback', 'What Google said is not signed by it for us: begin again.')
    throw providerAway('its keys cannot be read')
  }
}
