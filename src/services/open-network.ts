import type { Network } from '../flow/network.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../platform/service.ts'
import { readNetwork, whenNetworkKnown } from './known-network.ts'
import { oncePerProcess } from '../platform/service.ts'

/**
 * The network, for the addresses in what models are told: that of the chain, as soon as a node has been met, and mainnet until then. It is
 * waited for once in a process.
 */
export const openNetwork = oncePerProcess(
  async ({
    pool,
    log,
    lifecycle,
  }: Pick<ServiceContext<Config>, 'pool' | 'log' | 'lifecycle'>): Promise<() => Network> => {
    let network = await readNetwork(pool)
    if (network === undefined) {
      lifecycle.onStop(
        'waiting for the network of scripts',
        whenNetworkKnown(pool, log, (found) => {
          network = found
          return Promise.resolve()
        }),
      )
    }
    return () => network ?? 'mainnet'
  },
)
