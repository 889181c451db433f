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
  /** The followed chain's node is added once its network is known. */
  readonly nodes: ChainNodes
  /** Undefined until its node responds. */
  readonly followed: () => WalletNetwork | undefined
}

/**
 * The followed chain's node serves its own network (an emulator counts as testnet). @throws
 * FatalError for an invalid endpoint
 */
export function openWalletNodes(
  { config, lifecycle }: Pick<ServiceContext<WalletConfig>, 'config' | 'lifecycle'>,
  log: Logger,
): WalletNodes {
  const open = (endpoint: string): ReturnType<typeof createTransactionClient> => {
    const client = createTransactionClient({ endpoint, log })
    lifecycle.onStop('access node of wallet pages', () => client.close())
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
  // Invalid responses may be temporary.
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
        log.warn({ chainId }, 'The wallet does not support this chain. Set WALLET_MAINNET_NODE or WALLET_TESTNET_NODE')
    },
    (error: unknown) => {
      if (!lifecycle.signal.aborted)
        log.warn({ err: asError(error) }, 'The wallet could not identify the followed chain')
    },
  )
  return { nodes, followed: () => followed }
}
