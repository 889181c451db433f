import type { Middleware } from 'koa'
import type { ApiError } from '../errors.ts'
import type { ErrorForm } from './problem.ts'
import type { RequestState } from './requests.ts'

export interface CorsRules {
  readonly allows: (origin: string) => boolean
  readonly methods: string
  readonly headers: string
  readonly exposed?: string
  /** Used for unknown paths below `path` too. */
  readonly errorForm?: ErrorForm
  /** Refuses calls from pages of other origins. Default: they are processed, but unreadable to the page. */
  readonly refusal?: () => ApiError
}

/** CORS without cookies, for a path and those below it. */
export function pathCors(
  path: string,
  { allows, methods, headers, exposed, errorForm, refusal }: CorsRules,
): Middleware<RequestState> {
  return async (context, next) => {
    if (context.path !== path && !context.path.startsWith(`${path}/`)) {
      await next()
      return
    }
    if (errorForm !== undefined) context.state.errorForm = errorForm
    context.vary('Origin')
    const origin = context.get('Origin')
    const isAllowed = origin !== '' && allows(origin)
    if (origin !== '' && !isAllowed && refusal !== undefined) throw refusal()
    if (isAllowed) {
      context.set('Access-Control-Allow-Origin', origin)
      if (exposed !== undefined) context.set('Access-Control-Expose-Headers', exposed)
    }
    if (context.method !== 'OPTIONS') {
      await next()
      return
    }
    if (isAllowed)
      context.set({
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': headers,
        'Access-Control-Max-Age': '600',
      })
    context.state.route = path
    context.status = 204
  }
}
