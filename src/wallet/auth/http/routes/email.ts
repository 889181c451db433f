import { z } from 'zod'
import { ApiError } from '../../../../base/errors.ts'
import type { RequestContext } from '../../../../base/http/requests.ts'
import { parseBody } from '../../../../base/parse-input.ts'
import { readJson } from '../../../../base/read-json.ts'
import { authError, tokenRefused } from '../../auth-error.ts'
import type { AuthParts } from '../../auth-parts.ts'
import { readChallenge } from '../../code-challenge.ts'
import type { EmailChange } from '../../email-change.ts'
import type { EmailSignIn } from '../../email-sign-in.ts'
import { readRedirect } from '../../redirect-target.ts'
import { readEmail } from '../../users/email-address.ts'
import { presentUser } from '../../users/present-user.ts'
import { requireSmall } from '../../users/user-store.ts'
import { answerJson, clientOf, mostBodyBytes, ownSessionOf } from '../auth-call.ts'
import type { AuthRoute } from '../auth-router.ts'
import { refusalPage, signInPage } from '../link-page.ts'
import type { LinkPage } from '../link-page.ts'
import { presentSession } from '../present-session.ts'
import { readForm } from '../read-form.ts'

const wish = z.object({
  email: z.string(),
  create_user: z.boolean().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  redirect_to: z.string().nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

const proof = z.object({
  type: z.enum(['email', 'magiclink', 'signup', 'recovery', 'invite', 'email_change']),
  token: z.string().max(200).nullish(),
  token_hash: z.string().max(200).nullish(),
  email: z.string().nullish(),
})

const again = z.object({
  type: z.enum(['signup', 'email_change'], { error: 'must be signup or email_change' }),
  email: z.string(),
})

/** Sign-in by e-mail: asking for one, and showing what was in it; and the same for a new address. */
export function emailRoutes(parts: AuthParts, signIn: EmailSignIn, change: EmailChange): readonly AuthRoute[] {
  const ask = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('otp', client.network)
    const body = parseBody(wish, await readJson(context.req, mostBodyBytes))
    const userMetadata = body.data ?? {}
    requireSmall(userMetadata)
    await signIn.send(
      {
        email: emailOf(body.email),
        mayCreate: body.create_user ?? true,
        userMetadata,
        redirectTo: readRedirect(parameterOf(context, 'redirect_to') ?? body.redirect_to ?? undefined, parts),
        codeChallenge: readChallenge(body.code_challenge, body.code_challenge_method),
      },
      client,
    )
    answerJson(context, {})
  }

  /** The last e-mail once more. Whether there was one is not told. */
  const resend = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('otp', client.network)
    const { type, email } = parseBody(again, await readJson(context.req, mostBodyBytes))
    if (type === 'signup') await signIn.again(emailOf(email), client)
    else await change.again(emailOf(email), client)
    answerJson(context, {})
  }

  const verify = async (context: RequestContext): Promise<void> => {
    if (context.is('application/x-www-form-urlencoded') === 'application/x-www-form-urlencoded') return follow(context)
    const client = clientOf(context, parts)
    const given = await readProof(context).catch(async (error: unknown) => {
      await parts.limits.take('verify', client.network)
      throw error
    })
    // A token counts in the statement that takes it.
    if ('code' in given || given.isChange) await parts.limits.take('verify', client.network)
    if (given.isChange) {
      const user = await change.confirm(
        await ownSessionOf(context, parts),
        'code' in given ? { code: given.code } : { token: given.hash },
        client,
      )
      return answerJson(context, presentUser(user))
    }
    const session =
      'code' in given
        ? await signIn.withCode(emailOf(given.email), given.code, client)
        : await signIn.withToken(given.hash, client)
    answerJson(context, presentSession(session, parts.accessTokens))
    return undefined
  }

  /** What the button of the page does. People see the answer, so that it is a page too. */
  const follow = async (context: RequestContext): Promise<void> => {
    await answerPage(context, async () => {
      const client = clientOf(context, parts)
      await parts.limits.take('verify', client.network)
      const token = (await readForm(context.req)).get('token') ?? ''
      const goesTo = await signIn.followLink(token, client)
      context.set({ 'Cache-Control': 'no-store', Location: goesTo })
      context.status = 303
      return undefined
    })
  }

  const open = async (context: RequestContext): Promise<void> => {
    await answerPage(context, async () => {
      await parts.limits.take('session', clientOf(context, parts).network)
      const token = parameterOf(context, 'token') ?? parameterOf(context, 'token_hash') ?? ''
      const kept = await parts.oneTimeTokens.peek(token)
      if (kept === undefined || kept.email === null) throw tokenRefused()
      return signInPage({ name: parts.name, email: kept.email, token, goesTo: kept.redirectTo ?? parts.walletUrl })
    })
  }

  const answerPage = async (context: RequestContext, make: () => Promise<LinkPage | undefined>): Promise<void> => {
    const page = await make().catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (error.status === 413) context.set('Connection', 'close')
      return refusalPage({ name: parts.name, status: error.status, message: error.message })
    })
    if (page === undefined) return
    context.set({ ...page.headers, 'Cache-Control': 'no-store' })
    context.status = page.status
    context.body = page.html
  }

  return [
    { method: 'POST', path: '/otp', run: ask },
    { method: 'POST', path: '/magiclink', run: ask },
    { method: 'POST', path: '/resend', run: resend },
    { method: 'POST', path: '/verify', run: verify },
    { method: 'GET', path: '/verify', run: open },
  ]
}

/** What somebody shows: the token of a link or of a sign-in, or the code of an e-mail. @throws ApiError 400, 413, 415 */
async function readProof(
  context: RequestContext,
): Promise<
  { readonly isChange: boolean } & ({ readonly hash: string } | { readonly code: string; readonly email: unknown })
> {
  const body = parseBody(proof, await readJson(context.req, mostBodyBytes))
  const [code, hash] = [body.token ?? '', body.token_hash ?? '']
  if ((code === '') === (hash === ''))
    throw authError(400, 'validation_failed', 'Verify requires either a token or a token hash')
  if (hash !== '' && (body.email ?? '') !== '')
    throw authError(400, 'validation_failed', 'Only the token_hash and type should be provided')
  const isChange = body.type === 'email_change'
  return hash === '' ? { isChange, code, email: body.email } : { isChange, hash }
}

/** @throws ApiError 400 `email_address_invalid` */
export function emailOf(given: unknown): string {
  const email = readEmail(given)
  if (email === undefined)
    throw authError(
      400,
      'email_address_invalid',
      'This is no e-mail address that we can send to: it has to be like name@example.com.',
    )
  return email
}

/** A parameter of the address; the first, if there are several. */
export function parameterOf(context: RequestContext, name: string): string | undefined {
  return new URLSearchParams(context.querystring).get(name) ?? undefined
}
