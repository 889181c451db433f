import type { Middleware } from 'koa'
import { securityHeaders, contentPolicy, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'

/** Paths of the wallet's page: the page itself knows which of its parts each is. */
const pagePaths: ReadonlySet<string> = new Set([
  '/',
  '/send',
  '/activity',
  '/passkeys',
  '/account',
  '/authorize',
  '/developer/callback',
])

/**
 * Windows that applications open by FCL. They talk with the page that opened them, which the rule for all other pages
 * would keep from them.
 */
const windowPaths: ReadonlySet<string> = new Set(['/fcl/authn', '/fcl/authz', '/fcl/user-signature'])

/** Where libraries ask which services there are (`discovery.authn.endpoint` of FCL). */
const servicesPath = '/fcl/services'

/**
 * The pages of the wallet and their files below `/assets`. They may have nothing from elsewhere, and be in no frame
 * of others: what is clicked there moves money.
 * @param authUrl GOTRUE_URL, which the pages call where it is set
 * @param walletUrl origin of the wallet, for the list of its services; without it there is no list
 */
export function createWalletPage(pages: Pages, walletUrl?: () => string, authUrl?: string): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    const { path, method } = context
    if (path === servicesPath && walletUrl !== undefined && ['GET', 'HEAD', 'POST', 'OPTIONS'].includes(method)) {
      context.state['route'] = servicesPath
      // Nothing in it is anybody's own: every application may read it.
      context.set({
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Headers': 'content-type',
        'Access-Control-Allow-Methods': 'GET, POST',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Cache-Control': 'no-cache',
      })
      context.status = method === 'OPTIONS' ? 204 : 200
      if (method !== 'OPTIONS') context.body = servicesOf(walletUrl())
      return
    }
    const isFile = path.startsWith('/assets/')
    const isWindow = windowPaths.has(path)
    if ((!isFile && !isWindow && !pagePaths.has(path)) || !['GET', 'HEAD'].includes(method)) {
      await next()
      return
    }
    context.state['route'] = isFile ? '/assets' : isWindow ? path : '/'
    await setHeaders(context, () => {
      if (isWindow) context.set('Cross-Origin-Opener-Policy', 'unsafe-none')
      return servePage(context, pages, isFile ? path.slice(1) : '', (html) => walletPolicy(html, authUrl))
    })
  }
}

/** What FCL shows people who choose a wallet. */
function servicesOf(url: string): readonly object[] {
  const origin = new URL(url).origin
  return [
    {
      f_type: 'Service',
      f_vsn: '1.0.0',
      type: 'authn',
      uid: 'flowfarm#authn',
      method: 'POP/RPC',
      endpoint: `${origin}/fcl/authn`,
      provider: {
        f_type: 'ServiceProvider',
        f_vsn: '1.0.0',
        address: null,
        name: 'flowfarm wallet',
        description: 'A wallet whose keys are passkeys.',
        website: origin,
      },
    },
  ]
}

/**
 * The policy of the wallet's pages: their own origin, and beside it the one at which people sign in, where that is
 * another. It is called, and nothing is loaded from it.
 * @param authUrl GOTRUE_URL, or undefined
 * @throws TypeError for what is no URL
 */
export function walletPolicy(html: string, authUrl: string | undefined): string {
  const policy = contentPolicy({ html })
  return authUrl === undefined
    ? policy
    : policy.replace("connect-src 'self'", `connect-src 'self' ${new URL(authUrl).origin}`)
}
