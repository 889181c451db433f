import { contentPolicy } from '../platform/pages/security-headers.ts'

/**
 * The policy of the wallet's pages: their own origin, and beside it the one at which people sign in, where that is another. It is called, and nothing
 * is loaded from it.
 * @param authUrl GOTRUE_URL, or undefined
 * @throws TypeError for what is no URL
 */
export function walletPolicy(html: string, authUrl: string | undefined): string {
  const policy = contentPolicy({ html })
  return authUrl === undefined
    ? policy
    : policy.replace("connect-src 'self'", `connect-src 'self' ${new URL(authUrl).origin}`)
}
