import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { ApiError } from '../../../base/errors.ts'
import { apiSecurityHeaders } from '../../../base/http/api-headers.ts'
import { refuseMethod } from '../../../base/http/refuse-method.ts'
import type { RequestContext, RequestState } from '../../../base/http/requests.ts'
import type { AuthParts } from '../auth-parts.ts'
import { EmailChange } from '../email-change.ts'
import { EmailSignIn } from '../email-sign-in.ts'
import { ProviderSignIn } from '../provider-sign-in.ts'
import { answerError } from './error-answer.ts'
import { emailRoutes } from './routes/email.ts'
import { providerRoutes } from './routes/provider.ts'
import { serviceRoutes } from './routes/service.ts'
import { sessionRoutes } from './routes/session.ts'

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
          `There is nothing at ${context.path}: sign-in is by e-mail, by passkey and by the providers that ${authPath}/settings names.`,
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
