import type { Middleware } from 'koa'
import { isPagePath } from '../base/http/page-path.ts'
import { contentPolicy, securityHeaders } from '../operator/http/security-headers.ts'
import { servePage } from '../operator/pages.ts'
import type { Pages } from '../operator/pages.ts'

/**
 * A service's page at `/` and its files below `/assets`. They are open to all, since they hold nothing but the program; the data wants
 * the token. What the page shows was written by strangers, so it may have nothing from elsewhere, pictures neither.
 */
export function createRootPage(pages: Pages): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    if (!isPagePath(context.path) || !['GET', 'HEAD'].includes(context.method)) {
      await next()
      return
    }
    context.state['route'] = context.path === '/' ? '/' : '/assets'
    await setHeaders(context, () => servePage(context, pages, context.path.slice(1), (html) => contentPolicy({ html })))
  }
}
