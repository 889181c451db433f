import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { RequestContext } from '../../../../base/http/requests.ts'
import { parseBody } from '../../../../base/parse-input.ts'
import { readJson } from '../../../../base/read-json.ts'
import { withTransaction } from '../../../../db/pool.ts'
import { authError } from '../../auth-error.ts'
import type { AuthParts } from '../../auth-parts.ts'
import type { EmailSignIn } from '../../email-sign-in.ts'
import { readRedirect } from '../../redirect-target.ts'
import { digestOf } from '../../tokens/random-token.ts'
import { presentUser } from '../../users/present-user.ts'
import { requireSmall } from '../../users/user-store.ts'
import { answerJson, bearerOf, clientOf, mostBodyBytes } from '../auth-call.ts'
import type { AuthRoute } from '../auth-router.ts'
import { emailOf, parameterOf } from './email.ts'

const linkBody = z.object({
  type: z.enum(['magiclink', 'recovery', 'invite'], { error: 'must be magiclink, recovery or invite' }),
  email: z.string(),
  data: z.record(z.string(), z.unknown()).nullish(),
  redirect_to: z.string().nullish(),
})

/** What there is here, the keys of access tokens, and what other programs of the operator may do. */
export function serviceRoutes(parts: AuthParts, signIn: EmailSignIn): readonly AuthRoute[] {
  const health = async (context: RequestContext): Promise<void> => {
    answerJson(context, {
      name: 'flowfarm',
      version: 'v1',
      description: 'Sign-in of the wallet, which clients of GoTrue understand.',
    })
  }

  const settings = async (context: RequestContext): Promise<void> => {
    const external = {
      email: true,
      phone: false,
      anonymous_users: false,
      github: parts.providers.has('github'),
      google: parts.providers.has('google'),
    }
    answerJson(context, {
      external,
      disable_signup: false,
      mailer_autoconfirm: false,
      phone_autoconfirm: false,
      sms_provider: '',
      saml_enabled: false,
    })
  }

  const keys = async (context: RequestContext): Promise<void> => {
    answerJson(context, { keys: [parts.accessTokens.jwk] })
    context.set({ 'Cache-Control': 'public, max-age=600', 'Access-Control-Allow-Origin': '*' })
  }

  /** Makes what would be sent by e-mail, for a program that sends it by itself. */
  const generateLink = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('admin', client.network)
    requireService(bearerOf(context), parts.serviceToken)
    const body = parseBody(linkBody, await readJson(context.req, mostBodyBytes))
    const email = emailOf(body.email)
    const redirectTo = readRedirect(parameterOf(context, 'redirect_to') ?? body.redirect_to ?? undefined, parts)
    const metadata = body.data ?? {}
    requireSmall(metadata)
    const user = await withTransaction(parts.pool, async (db) => {
      const id =
        body.type === 'recovery'
          ? (await parts.users.findByEmail(db, email))?.id
          : (await parts.users.invite(db, email, metadata)).id
      if (id === undefined) throw authError(404, 'user_not_found', 'There is no user with this e-mail address.')
      await parts.audit.note(db, 'link_made', { userId: id, client, detail: { type: body.type } })
      return parts.users.find(db, id)
    })
    if (user === undefined) throw authError(404, 'user_not_found', 'There is no user with this e-mail address.')
    const secrets = await parts.oneTimeTokens.makeForEmail({
      email,
      redirectTo: redirectTo ?? null,
      codeChallenge: null,
      userMetadata: {},
    })
    answerJson(context, {
      ...presentUser(user),
      action_link: signIn.linkOf(secrets),
      email_otp: secrets.code,
      hashed_token: secrets.token,
      redirect_to: redirectTo ?? `${parts.walletUrl}/`,
      verification_type: body.type,
    })
  }

  return [
    { method: 'GET', path: '/health', run: health },
    { method: 'GET', path: '/settings', run: settings },
    { method: 'GET', path: '/.well-known/jwks.json', run: keys },
    { method: 'POST', path: '/admin/generate_link', run: generateLink },
  ]
}

/** @throws ApiError 403 `not_admin` */
function requireService(given: string, token: string | undefined): void {
  if (token === undefined || !timingSafeEqual(digestOf(given), digestOf(token)))
    throw authError(403, 'not_admin', 'User not allowed')
}
