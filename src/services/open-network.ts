import type { Lifecycle } from '../base/lifecycle.ts'
import type { Network } from '../chain/network.ts'
import type { ServiceContext } from './context.ts'
import { readNetwork, whenNetworkKnown } from './known-network.ts'

const opened = new WeakMap<Lifecycle, Promise<() => Network>>()

/**
 * The network, for the addresses in what models are told: that of the chain, as soon as a node has been met, and mainnet until then. It is
 * waited for once in a process, however many of its services want it.
 */
export function openNetwork(context: Pick<ServiceContext, 'pool' | 'log' | 'lifecycle'>): Promise<() => Network> {
  const known = opened.get(context.lifecycle)
  if (known !== undefined) return known
  const opening = open(context)
  opened.set(context.lifecycle, opening)
  return opening
}

async function open({ pool, log, lifecycle }: Pick<ServiceContext, 'pool' | 'log' | 'lifecycle'>): Promise<() => Network> {
  let network = await readNetwork(pool)
  if (network === undefined) {
    lifecycle.onStop('waiting for the network of scripts', whenNetworkKnown(pool, log, (found) => {
      network = found
      return Promise.resolve()
    }))
  }
  return () => network ?? 'mainnet'
}
