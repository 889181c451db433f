import { z } from 'zod'
import { leftSignal } from '../../../../base/http/left-signal.ts'
import type { RequestContext } from '../../../../base/http/requests.ts'
import { parseBody } from '../../../../base/parse-input.ts'
import { readJson } from '../../../../base/read-json.ts'
import { withTransaction } from '../../../../db/pool.ts'
import { authError } from '../../auth-error.ts'
import type { AuthParts } from '../../auth-parts.ts'
import type { EmailChange } from '../../email-change.ts'
import { readRedirect } from '../../redirect-target.ts'
import { removeUser } from '../../remove-user.ts'
import type { ProviderSignIn } from '../../provider-sign-in.ts'
import { signOutScopes } from '../../sessions/session-store.ts'
import { presentUser } from '../../users/present-user.ts'
import { answerJson, clientOf, mostBodyBytes, ownSessionOf, sessionOf } from '../auth-call.ts'
import type { AuthRoute } from '../auth-router.ts'
import { presentSession } from '../present-session.ts'
import { emailOf, parameterOf } from './email.ts'

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
    const body = await readJson(context.req, mostBodyBytes)
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
    const body = parseBody(z.record(z.string(), z.unknown()), await readJson(context.req, mostBodyBytes))
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
    const { confirmation, abandon } = parseBody(removalBody, hasBody ? await readJson(context.req, mostBodyBytes) : {})
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
