import { isIP } from 'node:net'
import { addressList, clientReader, ownMachine } from '../base/client-address.ts'
import { walletNetworks } from '../wallet/chain/wallet-network.ts'
import { createWalletServer } from '../wallet/http/wallet-server.ts'
import { cannotListen } from './cannot-listen.ts'
import type { ServiceContext } from './context.ts'
import { createDashboardPages } from './dashboard-pages.ts'
import { networkSettings } from './open-provisioning.ts'
import { openWallet } from './open-wallet.ts'
import { pageBuildOf } from './page-build-of.ts'
import { createWalletPage } from './wallet-page.ts'

/** Starts the wallet: sign-in, passkeys, accounts for them, and its page. */
export async function startWallet(context: ServiceContext): Promise<void> {
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
