import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { withTransaction } from '../../platform/db/pool.ts'
import { leftSignal } from '../../platform/http/connections.ts'
import type { RequestContext } from '../../platform/http/requests.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import { readJson } from '../../platform/http/read-json.ts'
import {
  authError,
  readRedirect,
  answerJson,
  clientOf,
  maxBodyBytes,
  ownSessionOf,
  sessionOf,
  bearerOf,
} from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import type { EmailChange } from './email-change.ts'
import { emailOf, parameterOf } from './email-sign-in.ts'
import type { EmailSignIn } from './email-sign-in.ts'
import type { ProviderSignIn } from './provider-sign-in.ts'
import type { AuthRoute } from './router.ts'
import { presentSession } from './stores/access-tokens.ts'
import { digestOf } from './stores/secrets.ts'
import { signOutScopes } from './stores/sessions.ts'
import { presentUser, requireSmall } from './stores/users.ts'
import { removeUser } from './user-changes.ts'

const refreshBody = z.object({ refresh_token: z.string().min(1).max(200) })
const pkceBody = z.object({ auth_code: z.string().min(1).max(200), code_verifier: z.string().min(1).max(200) })
/**
 * Of `DELETE /user`, where the user has a passkey: the assertion, and the accounts that nobody can sign for afterwards.
 */
const removalBody = z.object({
  confirmation: z.unknown().optional(),
  abandon: z.array(z.string().max(20)).max(300).default([]),
})
const scopeParameter = z.enum(signOutScopes)

/** What users may not change by themselves, and why. */
const fixed: Readonly<Record<string, string>> = {
  app_metadata: 'What the operator says of a user only the operator changes.',
  role: 'Roles are given by the operator.',
  phone: 'There is no sign-in by phone here.',
  password: 'There are no passwords here.',
}

/** Sessions: keeping one up, who it is of, and ending it. */
export function sessionRoutes(parts: AuthParts, signIn: ProviderSignIn, change: EmailChange): readonly AuthRoute[] {
  const token = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('token', client.network)
    const grant = parameterOf(context, 'grant_type')
    if (grant !== 'refresh_token' && grant !== 'pkce')
      throw authError(400, 'validation_failed', 'unsupported_grant_type: it must be refresh_token or pkce.')
    const body = await readJson(context.req, maxBodyBytes)
    if (grant === 'refresh_token') {
      const { refresh_token: given } = parseBody(refreshBody, body)
      answerJson(context, presentSession(await parts.sessions.refresh(given, client), parts.accessTokens))
    } else {
      const { auth_code: code, code_verifier: verifier } = parseBody(pkceBody, body)
      answerJson(context, presentSession(await signIn.trade(code, verifier, client), parts.accessTokens))
    }
  }

  const readUser = async (context: RequestContext): Promise<void> => {
    await parts.limits.take('session', clientOf(context, parts).network)
    const { user } = await sessionOf(context, parts)
    answerJson(context, presentUser(user, await change.wanted(user.id)))
  }

  const changeUser = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('session', client.network)
    const session = await ownSessionOf(context, parts)
    const { user, sessionId } = session
    await parts.limits.take('changeBy', user.id)
    const body = parseBody(z.record(z.string(), z.unknown()), await readJson(context.req, maxBodyBytes))
    for (const [name, reason] of Object.entries(fixed)) {
      if (body[name] === undefined || body[name] === null || body[name] === '') continue
      throw authError(
        name === 'app_metadata' || name === 'role' ? 403 : 422,
        name === 'app_metadata' || name === 'role' ? 'not_admin' : 'validation_failed',
        reason,
      )
    }
    const { data, email, confirmation } = parseBody(
      z.object({
        data: z.record(z.string(), z.unknown()).nullish(),
        email: z.string().nullish(),
        confirmation: z.unknown().optional(),
      }),
      body,
    )
    if ((email ?? '') !== '') {
      await change.ask(emailOf(email), readRedirect(parameterOf(context, 'redirect_to'), parts), {
        session,
        confirmation,
        client,
        signal: leftSignal(context.res),
      })
    }
    const changed = await withTransaction(parts.pool, async (db) => {
      if (data === undefined || data === null) return parts.users.find(db, user.id)
      const row = await parts.users.changeMetadata(db, user.id, data)
      await parts.audit.note(db, 'user_changed', { userId: user.id, sessionId, client })
      return row
    })
    if (changed === undefined) throw authError(404, 'user_not_found', 'There is no such user any more.')
    answerJson(context, presentUser(changed, await change.wanted(user.id)))
  }

  const remove = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('session', client.network)
    const session = await ownSessionOf(context, parts)
    await parts.limits.take('changeBy', session.user.id)
    const hasBody = Number(context.get('Content-Length') || '0') > 0 || context.get('Transfer-Encoding') !== ''
    const { confirmation, abandon } = parseBody(removalBody, hasBody ? await readJson(context.req, maxBodyBytes) : {})
    await removeUser(parts, { session, confirmation, abandon, client, signal: leftSignal(context.res) })
    context.set('Cache-Control', 'no-store')
    context.status = 204
  }

  const logout = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('session', client.network)
    const session = await sessionOf(context, parts)
    const scope = scopeParameter.safeParse(parameterOf(context, 'scope') ?? 'global')
    if (!scope.success) throw authError(400, 'validation_failed', 'scope must be global, local or others.')
    await parts.sessions.end(session, scope.data, client)
    context.set('Cache-Control', 'no-store')
    context.status = 204
  }

  return [
    { method: 'POST', path: '/token', run: token },
    { method: 'GET', path: '/user', run: readUser },
    { method: 'PUT', path: '/user', run: changeUser },
    { method: 'DELETE', path: '/user', run: remove },
    { method: 'POST', path: '/logout', run: logout },
  ]
}

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
    const body = parseBody(linkBody, await readJson(context.req, maxBodyBytes))
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
