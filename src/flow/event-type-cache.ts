import type { Network } from './network.ts'

/** Anyone can deploy contracts. Far more than a network uses in a day. */
const maxTypes = 20_000

/** @param create is called once per network */
export function cachedByType<T>(
  create: (network: Network) => (type: string) => T,
): (network: Network) => (type: string) => T {
  const byNetwork = new Map<Network, (type: string) => T>()
  return (network) => {
    let cached = byNetwork.get(network)
    if (cached === undefined) byNetwork.set(network, (cached = withCache(create(network))))
    return cached
  }
}

function withCache<T>(read: (type: string) => T): (type: string) => T {
  const known = new Map<string, T>()
  return (type) => {
    const found = known.get(type)
    if (found !== undefined || known.has(type)) return found as T
    if (known.size >= maxTypes) known.clear()
    const value = read(type)
    known.set(type, value)
    return value
  }
}
