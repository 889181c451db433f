import { createTransactionClient } from '../access/transaction-client.ts'
import { liveEndpoints } from '../access/settings.ts'
import { asError, FatalError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { retryWhile } from '../platform/retry.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import { networkSettings, walletNetworks } from './settings.ts'
import type { WalletConfig, WalletNetwork } from './settings.ts'
import type { ChainNodes } from './chain-routes.ts'
import type { ServiceContext } from '../platform/service.ts'

export interface WalletNodes {
  /** Of each network that there is a node of; the one that is followed is added when it has said whose it is. */
  readonly nodes: ChainNodes
  /**
   * That of the chain which is followed, which the explorer is about; undefined until its node has said which it is.
   */
  readonly followed: () => WalletNetwork | undefined
}

/**
 * The nodes that pages ask, through the wallet: those that are set, and the one of the chain that is followed for its
 * own network. An emulator stands in for testnet. They are left when the process stops.
 * @throws FatalError for an endpoint that cannot be understood
 */
export function openWalletNodes(
  { config, lifecycle }: Pick<ServiceContext<WalletConfig>, 'config' | 'lifecycle'>,
  log: Logger,
): WalletNodes {
  const open = (endpoint: string): ReturnType<typeof createTransactionClient> => {
    const client = createTransactionClient({ endpoint, log })
    lifecycle.onStop('a node for pages of the wallet', () => client.close())
    return client
  }
  const nodes: { -readonly [Network in keyof ChainNodes]: ChainNodes[Network] } = {}
  for (const network of walletNetworks) {
    const endpoint = config[networkSettings[network].node]
    if (endpoint !== undefined) nodes[network] = open(endpoint)
  }
  const [endpoint] = liveEndpoints(config)
  if (endpoint === undefined) return { nodes, followed: () => undefined }
  const own = open(endpoint)
  let followed: WalletNetwork | undefined
  // A node that is away comes back; one that says what we do not understand may be mended.
  retryWhile(() => own.chainId(lifecycle.signal), {
    signal: lifecycle.signal,
    baseMs: 500,
    maxMs: 60_000,
    isRetryable: (error) => !(error instanceof FatalError),
  }).then(
    (chainId) => {
      const network = chainIdToNetwork(chainId)
      followed = network === 'emulator' ? 'testnet' : network
      if (followed !== undefined) nodes[followed] ??= own
      else
        log.warn({ chainId }, 'the wallet knows nothing of this chain: set WALLET_MAINNET_NODE or WALLET_TESTNET_NODE')
    },
    (error: unknown) => {
      if (!lifecycle.signal.aborted)
        log.warn({ err: asError(error) }, 'the wallet does not know which chain is followed')
    },
  )
  return { nodes, followed: () => followed }
}
