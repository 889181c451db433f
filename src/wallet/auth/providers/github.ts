import { readEmail } from '../users/email-address.ts'
import { asRecord, askProvider, emailUnverified, providerAway, shortTexts, tradeCode } from './ask-provider.ts'
import type { OAuthApplication, OAuthProvider } from './oauth-provider.ts'

export const githubEndpoints = {
  authorize: 'https://github.com/login/oauth/authorize',
  token: 'https://github.com/login/oauth/access_token',
  user: 'https://api.github.com/user',
  emails: 'https://api.github.com/user/emails',
}

/** Sign-in with GitHub: OAuth 2 with PKCE; who it is and which addresses are verified has to be asked. */
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
      if (typeof token !== 'string') throw providerAway('it gave no token')
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
        throw providerAway('it did not say who you are')
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

/** The primary address, if it is verified. The public one of the profile is anything that its owner likes. */
function verifiedEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) throw providerAway('it did not tell your e-mail addresses')
  const primary = emails.map(asRecord).find((one) => one['primary'] === true && one['verified'] === true)
  return readEmail(primary?.['email'])
}
