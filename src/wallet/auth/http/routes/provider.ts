import type { RequestContext } from '../../../../base/http/requests.ts'
import { ApiError } from '../../../../base/errors.ts'
import { authError } from '../../auth-error.ts'
import type { AuthParts } from '../../auth-parts.ts'
import { readChallenge } from '../../code-challenge.ts'
import type { ProviderSignIn } from '../../provider-sign-in.ts'
import { flowSeconds } from '../../providers/flow-states.ts'
import { readRedirect } from '../../redirect-target.ts'
import { digestOf } from '../../tokens/random-token.ts'
import { clientOf } from '../auth-call.ts'
import type { AuthRoute } from '../auth-router.ts'
import { refusalPage } from '../link-page.ts'
import { parameterOf } from './email.ts'

/** Sign-in by a provider: the way there and the way back, which browsers go. */
export function providerRoutes(parts: AuthParts, signIn: ProviderSignIn): readonly AuthRoute[] {
  const isSecure = parts.walletUrl.startsWith('https:')

  /** One for each sign-in, since several tabs may be on their way. Of the host alone where browsers allow to say so. */
  const cookieName = (state: string): string =>
    `${isSecure ? '__Host-' : ''}flowfarm-sign-in-${digestOf(state).toString('hex').slice(0, 16)}`
  const cookie = (state: string, value: string, seconds: number): string =>
    `${cookieName(state)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  const authorize = async (context: RequestContext): Promise<void> => {
    await parts.limits.take('authorize', clientOf(context, parts).network)
    const challenge = readChallenge(
      parameterOf(context, 'code_challenge'),
      parameterOf(context, 'code_challenge_method'),
    )
    if (challenge === undefined) {
      throw authError(
        400,
        'validation_failed',
        "Send a code_challenge (PKCE; flowType: 'pkce' in auth-js): sessions are not put into addresses.",
      )
    }
    const { url, browser } = await signIn.begin({
      provider: parameterOf(context, 'provider') ?? '',
      codeChallenge: challenge,
      redirectTo: readRedirect(parameterOf(context, 'redirect_to'), parts) ?? `${parts.walletUrl}/`,
    })
    const state = new URL(url).searchParams.get('state') ?? ''
    context.set({ 'Cache-Control': 'no-store', 'Set-Cookie': cookie(state, browser, flowSeconds), Location: url })
    context.status = 302
  }

  const callback = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    const state = parameterOf(context, 'state') ?? ''
    try {
      await parts.limits.take('authorize', client.network)
      const goesTo = await signIn.end(
        { state, code: parameterOf(context, 'code'), error: parameterOf(context, 'error') },
        context.cookies.get(cookieName(state)) ?? '',
        client,
      )
      context.set({ 'Cache-Control': 'no-store', 'Set-Cookie': cookie(state, '', 0), Location: goesTo })
      context.status = 302
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const page = refusalPage({ name: parts.name, status: error.status, message: error.message })
      context.set({ ...page.headers, 'Cache-Control': 'no-store' })
      context.status = page.status
      context.body = page.html
    }
  }

  return [
    { method: 'GET', path: '/authorize', run: authorize },
    { method: 'GET', path: '/callback', run: callback },
  ]
}
