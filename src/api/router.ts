import { Router } from '@koa/router'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import { ApiError } from '../base/errors.ts'
import type { RequestState } from './middleware/request-log.ts'
import { declaredPath, topLevelSegments } from './paths.ts'
import type { Caching, Route, Services } from './route.ts'

const cacheControl: Readonly<Record<Caching, string>> = {
  revalidate: 'no-cache',
  settled: 'public, max-age=3600',
  minute: 'public, max-age=60',
  static: 'public, max-age=3600',
  never: 'no-store',
}

/**
 * Mounts the declared routes on an application.
 * @param options.checkResponses whether an answer that breaks its schema is an error; on outside production
 */
export function serveRoutes(
  app: Koa<RequestState>, routes: readonly Route[], services: Services, options: { checkResponses: boolean },
): void {
  const router = new Router<RequestState>()
  for (const route of routes) {
    router.get(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      context.state.route = route.path
      const answer = await route.run(context.params, context.URL.searchParams, services)
      if (options.checkResponses) checkAnswer(route, answer.body)
      context.status = answer.status ?? 200
      context.body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      context.type = route.contentType
      context.set('Cache-Control', cacheControl[answer.caching ?? 'revalidate'])
      context.set({ ...answer.headers })
    })
  }
  app.use(useDeclaredPath(routes))
  app.use(router.routes())
  app.use(refuseOtherMethods(router))
}

function useDeclaredPath(routes: readonly Route[]): Middleware<RequestState> {
  const topLevel = topLevelSegments(routes.map((route) => route.path))
  return async (context, next) => {
    context.path = declaredPath(context.path, topLevel)
    await next()
  }
}

/** For paths that exist: the router leaves a request to this when it has the path but not the method. */
function refuseOtherMethods(router: Router<RequestState>): Middleware<RequestState> {
  return async (context, next) => {
    const allowed = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods))
    if (allowed.size === 0) {
      await next()
      return
    }
    context.set('Allow', [...allowed, 'OPTIONS'].join(', '))
    if (context.method !== 'OPTIONS') {
      throw new ApiError(405, 'method-not-allowed', 'This path does not take this method; Allow lists which.')
    }
    context.status = 204
  }
}

/** Checks what is sent, not what was returned: JSON leaves out what is undefined. */
function checkAnswer(route: Route, body: unknown): void {
  const sent: unknown = typeof body === 'string' ? body : JSON.parse(JSON.stringify(body))
  const result = route.response.safeParse(sent)
  if (!result.success) throw new Error(`the answer of ${route.path} breaks its schema`, { cause: result.error })
}
