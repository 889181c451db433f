import { connect } from '../transport/connect.ts'
import { AccessNode } from './node.ts'
import { parseEndpoint } from '../transport/endpoint.ts'
import { RateLimit } from './rate-limit.ts'
import type { Transport } from '../transport/transport.ts'

/**
 * One connection, rate limit and state per node, shared by all sources. Closed when the last source
 * releases it.
 */
export class NodeRegistry {
  readonly #connect: (endpoint: string) => Transport
  readonly #nodes = new Map<string, { readonly node: AccessNode; users: number }>()

  constructor(connectTo: (endpoint: string) => Transport = connect) {
    this.#connect = connectTo
  }

  /** The lowest limits of all users apply. @throws FatalError for an invalid endpoint */
  acquire(endpoint: string, limits: { readonly requestsPerSecond?: number; readonly burst?: number } = {}): AccessNode {
    const key = endpointKey(endpoint)
    const { requestsPerSecond, burst } = limits
    const known = this.#nodes.get(key)
    if (known !== undefined) {
      known.users++
      if (requestsPerSecond !== undefined) known.node.limit.restrict(requestsPerSecond, burst)
      return known.node
    }
    const node = new AccessNode(this.#connect(endpoint), new RateLimit(requestsPerSecond, burst))
    this.#nodes.set(key, { node, users: 1 })
    return node
  }

  /** Call once for each `acquire`. */
  async release(node: AccessNode): Promise<void> {
    const key = endpointKey(node.endpoint)
    const known = this.#nodes.get(key)
    if (known === undefined || --known.users > 0) return
    this.#nodes.delete(key)
    await node.close()
  }
}

export const processNodes = new NodeRegistry()

export function endpointKey(endpoint: string): string {
  const { protocol, tls, host, port, pathPrefix } = parseEndpoint(endpoint)
  return `${protocol} ${tls ? 'tls' : 'plain'} ${host.toLowerCase()} ${port}${pathPrefix}`
}
