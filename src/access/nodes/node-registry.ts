import { connect } from '../transport/connect.ts'
import { AccessNode } from './node.ts'
import { parseEndpoint } from '../transport/endpoint.ts'
import { RateLimit } from './rate-limit.ts'
import type { Transport } from '../transport/transport.ts'

/**
 * The nodes in use, each once however many sources name it: they share its connection, its rate limit and what is
 * known of it. A node is closed when the last source has released it.
 */
export class NodeRegistry {
  readonly #connect: (endpoint: string) => Transport
  readonly #nodes = new Map<string, { readonly node: AccessNode; users: number }>()

  constructor(connectTo: (endpoint: string) => Transport = connect) {
    this.#connect = connectTo
  }

  /**
   * @param limits calls per second, and at once after a pause; of several users' limits the lowest holds
   * @throws FatalError for an endpoint that cannot be understood
   */
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

  /** To be called once for each `acquire`. */
  async release(node: AccessNode): Promise<void> {
    const key = endpointKey(node.endpoint)
    const known = this.#nodes.get(key)
    if (known === undefined || --known.users > 0) return
    this.#nodes.delete(key)
    await node.close()
  }
}

/** The nodes of this process: a node's limit holds for all that the process asks of it. */
export const processNodes = new NodeRegistry()

/** What two spellings of one endpoint have in common. */
export function endpointKey(endpoint: string): string {
  const { protocol, tls, host, port, pathPrefix } = parseEndpoint(endpoint)
  return `${protocol} ${tls ? 'tls' : 'plain'} ${host.toLowerCase()} ${port}${pathPrefix}`
}
