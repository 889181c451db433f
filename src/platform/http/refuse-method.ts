import type { Router } from '@koa/router'
import { ApiError } from '../errors.ts'
import { isPagePath } from '../pages/serve-page.ts'
import type { RequestContext, RequestState } from './requests.ts'

/**
 * Last middleware: 405 for a known path with an unsupported method. @throws ApiError 405
 * `method-not-allowed`
 */
export function refuseMethod(context: RequestContext, router: Router<RequestState>, hasPage: boolean): void {
  if (context.body !== undefined && context.body !== null) return
  const { path, method } = context
  const ofPage = hasPage && isPagePath(path) ? ['GET', 'HEAD'] : []
  const allowed = [
    ...new Set([...ofPage, ...router.match(path, method).path.flatMap((layer) => layer.methods)]),
  ].toSorted()
  // A file that the page does not have is a 404.
  if (allowed.length === 0 || allowed.includes(method)) return
  context.set('Allow', allowed.join(', '))
  throw new ApiError(405, 'method-not-allowed', `${path} takes ${allowed.join(' and ')}, not ${method}.`)
}
