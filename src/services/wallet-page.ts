import type { Middleware } from 'koa'
import { contentPolicy, securityHeaders } from '../operator/http/security-headers.ts'
import { servePage } from '../operator/pages.ts'
import type { Pages } from '../operator/pages.ts'

/** Paths of the wallet's page: the page itself knows which of its parts each is. */
const pagePaths: ReadonlySet<string> = new Set(['/', '/send', '/activity', '/passkeys', '/developer/callback'])

/**
 * The pages of the wallet and their files below `/assets`. They may have nothing from elsewhere, and be in no frame of others: what is clicked there
 * moves money.
 */
export function createWalletPage(pages: Pages): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    const isFile = context.path.startsWith('/assets/')
    if ((!isFile && !pagePaths.has(context.path)) || !['GET', 'HEAD'].includes(context.method)) {
      await next()
      return
    }
    context.state['route'] = isFile ? '/assets' : '/'
    await setHeaders(context, () => servePage(context, pages, isFile ? context.path.slice(1) : '', (html) => contentPolicy({ html })))
  }
}
