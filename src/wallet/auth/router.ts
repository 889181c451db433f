import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { ApiError, asError, RetryableError } from '../../platform/errors.ts'
import { apiSecurityHeaders } from '../../platform/http/server.ts'
import { refuseMethod } from '../../platform/http/refuse-method.ts'
import type { RequestContext, RequestState } from '../../platform/http/requests.ts'
import type { Logger } from '../../platform/log.ts'
import { authError, readRedirect, clientOf } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { EmailChange } from './email-change.ts'
import { EmailSignIn, emailRoutes, parameterOf } from './email-sign-in.ts'
import { refusalPage } from './link-page.ts'
import { ProviderSignIn, flowSeconds } from './provider-sign-in.ts'
import { serviceRoutes, sessionRoutes } from './session-routes.ts'
import { readChallenge, digestOf } from './stores/secrets.ts'

export const authPath = '/auth/v1'

/** One path and method of the auth endpoint, below `/auth/v1`. */
export interface AuthRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly run: (context: RequestContext) => Promise<void>
}

/** The auth endpoint, as clients of GoTrue know it: `/auth/v1/…`. Everything else goes on. */
export function authRouter(parts: AuthParts): Middleware<RequestState> {
  const email = new EmailSignIn(parts)
  const provider = new ProviderSignIn(parts)
  const change = new EmailChange(parts)
  const router = new Router<RequestState>()
  for (const { method, path, run } of [
    ...emailRoutes(parts, email, change),
    ...sessionRoutes(parts, provider, change),
    ...providerRoutes(parts, provider),
    ...serviceRoutes(parts, email),
  ]) {
    router.register(`${authPath}${path}`, method === 'GET' ? ['GET', 'HEAD'] : [method], async (context) => {
      context.state.route = `${authPath}${path}`
      await run(context)
    })
  }
  // The router adds what it needs to the context by itself.
  const answer = router.routes() as unknown as Middleware<RequestState>
  return async (context, next) => {
    if (context.path !== authPath && !context.path.startsWith(`${authPath}/`)) {
      await next()
      return
    }
    context.set(apiSecurityHeaders)
    allowOrigin(context, parts)
    if (context.method === 'OPTIONS') {
      context.status = 204
      return
    }
    try {
      await answer(context, () => Promise.resolve())
      if (context.status === 404 && !context.body) {
        refuseMethod(context, router, false)
        throw new ApiError(
          404,
          'unknown-path',
          `There is nothing at ${context.path}: sign-in is by e-mail, by passkey and by the providers that ` +
            `${authPath}/settings names.`,
        )
      }
    } catch (error) {
      answerError(context, error, parts.log)
    }
  }
}

/** Lets pages of the allowed origins call from a browser. No cookie is of any use here, so none may be sent. */
function allowOrigin(context: RequestContext, { isAllowedOrigin, isClientOrigin }: AuthParts): void {
  context.vary('Origin')
  const origin = context.get('Origin')
  if (origin === '' || !(isAllowedOrigin(origin) || isClientOrigin(origin))) return
  context.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'Retry-After, X-Sb-Error-Code, X-Supabase-Api-Version',
  })
  if (context.method !== 'OPTIONS') return
  context.set({
    'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
    'Access-Control-Max-Age': '600',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, ApiKey, X-Client-Info, X-Supabase-Api-Version',
  })
}

const versionHeader = 'X-Supabase-Api-Version'
/** From this version on errors have their code as `code`. */
const codeVersion = '2024-01-01'

/** Answers an error as GoTrue does, in the form of the version that the client asks for. */
function answerError(context: RequestContext, thrown: unknown, log: Logger): void {
  if (context.res.destroyed) return
  const { status, code, message, details } = asAuthError(thrown)
  const { requestId } = context.state
  if (status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a request failed')
  else if (status > 500) log.warn({ requestId, path: context.path, code, reason: message }, 'a request failed')
  const isNew = context.get(versionHeader) >= codeVersion
  if (isNew) context.set(versionHeader, codeVersion)
  context.set({ 'Cache-Control': 'no-store', 'X-Sb-Error-Code': code })
  const { retryAfterSeconds, facts } = details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // What is left of the body is not read.
  if (status === 413) context.set('Connection', 'close')
  context.status = status
  context.body = JSON.stringify({
    ...(typeof facts === 'object' ? facts : {}),
    ...(isNew ? { code, message } : { code: status, error_code: code, msg: message }),
  })
  context.type = 'application/json'
}

/** Whatever was thrown, in the words of GoTrue. */
function asAuthError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) {
    // Errors of other rooms have dashes in their codes.
    if (!thrown.code.includes('-')) return thrown
    const code =
      thrown.code === 'bad-json' ? 'bad_json' : thrown.code === 'unknown-path' ? 'not_found' : 'validation_failed'
    return authError(thrown.status, code, thrown.message, thrown.details)
  }
  if (asDatabaseError(thrown) instanceof RetryableError) {
    return authError(503, 'unexpected_failure', 'The database does not answer at the moment; try again.', {
      retryAfterSeconds: 1,
    })
  }
  return authError(500, 'unexpected_failure', 'Something went wrong here; the log tells what.')
}

/** Sign-in by a provider: the way there and the way back, which browsers go. */
function providerRoutes(parts: AuthParts, signIn: ProviderSignIn): readonly AuthRoute[] {
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
