import { isIP } from 'node:net'
import type { Middleware } from 'koa'
import { securityHeaders } from '../platform/pages/security-headers.ts'
import { servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'
import { addressList, clientReader, ownMachine } from '../platform/limits/clients.ts'
import { walletNetworks } from '../wallet/settings.ts'
import { createWalletServer } from '../wallet/server.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../platform/service.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { networkSettings } from './open-provisioning.ts'
import { openWallet } from './open-wallet.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'
import { walletPolicy } from './wallet-policy.ts'

/** Starts the wallet: sign-in, passkeys, accounts for them, and its page. */
export async function startWallet(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'wallet' })
  const pages = createDashboardPages({ page: 'wallet', log, build: pageBuildOf(context) })
  lifecycle.onStop('page of the wallet', () => pages.stop())
  const clientOf = clientReader(addressList([...config.TRUSTED_PROXIES, ...ownMachine, ...ownAddress(config.HOST)]))
  let url = ''
  const server = await createWalletServer({
    clientOf,
    log,
    metrics,
    host: config.HOST,
    port: config.WALLET_PORT,
    open: async (port) => {
      const wallet = await openWallet(context, {
        port,
        clientOf,
        log,
        page: createWalletPage(pages, () => url, config.GOTRUE_URL),
      })
      url = wallet.url
      return wallet
    },
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'WALLET_PORT', port: config.WALLET_PORT, host: config.HOST })
  })
  shared.walletPort = server.port
  lifecycle.onStop('wallet', () => server.close())
  const paying = walletNetworks.filter((network) => config[networkSettings[network].payer] !== undefined)
  log.info({ url, port: server.port, accounts: paying }, 'the wallet listens')
  if (paying.length === 0)
    log.info(
      'no accounts are made: nobody pays for them; set WALLET_MAINNET_PAYER or WALLET_TESTNET_PAYER (docs/wallet.md)',
    )
}

/** The wallet asks its own auth endpoint for others, at the address that is bound. */
function ownAddress(host: string): readonly string[] {
  return isIP(host) === 0 || ['0.0.0.0', '::'].includes(host) ? [] : [host]
}

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

/** Windows that applications open by FCL. They talk with the page that opened them, which the rule for all other pages would keep from them. */
const windowPaths: ReadonlySet<string> = new Set(['/fcl/authn', '/fcl/authz', '/fcl/user-signature'])

/** Where libraries ask which services there are (`discovery.authn.endpoint` of FCL). */
const servicesPath = '/fcl/services'

/**
 * The pages of the wallet and their files below `/assets`. They may have nothing from elsewhere, and be in no frame of others: what is clicked there
 * moves money.
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
