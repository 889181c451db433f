import type { Middleware } from 'koa'
import { securityHeaders, contentPolicy, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'

const pagePaths: ReadonlySet<string> = new Set([
  '/',
  '/send',
  '/receive',
  '/apps',
  '/contacts',
  '/activity',
  '/passkeys',
  '/account',
  '/security',
  '/add-device',
  '/authorize',
  '/developer/callback',
])

/** FCL windows talk to their opener, which the default Cross-Origin-Opener-Policy forbids. */
const windowPaths: ReadonlySet<string> = new Set(['/fcl/authn', '/fcl/authz', '/fcl/user-signature'])

const servicesPath = '/fcl/services'

/** Pages that show NFTs load their pictures from anywhere; they ask for no signature of applications. */
const strictPaths: ReadonlySet<string> = new Set([...windowPaths, '/authorize', '/add-device', '/developer/callback'])

/**
 * Loads no code from elsewhere and cannot be framed: clicks there move money. @param authUrl
 * GOTRUE_URL, which the pages call
 */
export function createWalletPage(pages: Pages, walletUrl?: () => string, authUrl?: string): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    const { path, method } = context
    if (path === servicesPath && walletUrl !== undefined && ['GET', 'HEAD', 'POST', 'OPTIONS'].includes(method)) {
      context.state['route'] = servicesPath
      // Public for all applications.
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
      return servePage(context, pages, isFile ? path.slice(1) : '', (html) =>
        walletPolicy(html, authUrl, !strictPaths.has(path)),
      )
    })
  }
}

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
        description: 'A wallet that signs with passkeys.',
        website: origin,
      },
    },
  ]
}

/** Calls to GOTRUE_URL only. @throws TypeError for an invalid URL */
export function walletPolicy(html: string, authUrl: string | undefined, arePicturesFree = false): string {
  const policy = contentPolicy({ html, arePicturesFree })
  return authUrl === undefined
    ? policy
    : policy.replace("connect-src 'self'", `connect-src 'self' ${new URL(authUrl).origin}`)
}
