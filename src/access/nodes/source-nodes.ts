import { FatalError } from '../../platform/errors.ts'
import { chainIdToNetwork, sporks } from '../../flow/network.ts'
import type { AccessNode } from './node.ts'
import { endpointKey } from './node-registry.ts'
import type { NodeRegistry } from './node-registry.ts'

export interface SourceNodesOptions {
  readonly liveEndpoints: readonly string[]
  readonly historicEndpoints?: readonly string[]
  /** Nodes of past sporks serve heights that no other node serves. Default false. */
  readonly includesSporks?: boolean
  /** Per node, for all sources of the process. Default: unlimited until a node refuses. */
  readonly requestsPerSecond?: number
  /** Calls at once after a pause. Ignored without `requestsPerSecond`. */
  readonly burst?: number
}

export class SourceNodes {
  readonly live: readonly AccessNode[]
  readonly #configured: readonly AccessNode[]
  #sporks: readonly AccessNode[] = []
  readonly #options: SourceNodesOptions
  readonly #registry: NodeRegistry

  /** @throws FatalError for an invalid endpoint, or without endpoints */
  constructor(options: SourceNodesOptions, registry: NodeRegistry) {
    const { liveEndpoints, historicEndpoints = [] } = options
    this.#options = options
    this.#registry = registry
    const liveKeys = new Set(liveEndpoints.map(endpointKey))
    const others = historicEndpoints.filter((endpoint) => !liveKeys.has(endpointKey(endpoint)))
    const [live, historic] = [this.#acquire(liveEndpoints), this.#acquire(others)]
    this.#configured = [...live, ...historic]
    if (this.#configured.length === 0) throw new FatalError('no-access-node', 'no access node is configured')
    this.live = live.length > 0 ? live : historic
  }

  get all(): readonly AccessNode[] {
    return [...this.#configured, ...this.#sporks]
  }

  /** Nodes of past sporks only if no configured node may serve the height. */
  for(height: number): readonly AccessNode[] {
    return this.#sporks.length === 0 || this.#configured.some((node) => node.mayServe(height))
      ? this.#configured
      : this.#sporks
  }

  /** Once the chain is known. They connect on the first call. */
  addSporks(chainId: string): void {
    if (this.#options.includesSporks !== true) return
    const network = chainIdToNetwork(chainId)
    const configured = new Set(this.#configured.map(({ endpoint }) => endpointKey(endpoint)))
    const past = sporks.filter((spork) => spork.network === network && spork.endHeight !== undefined)
    const endpoints = past.flatMap(({ endpoint }) => endpoint ?? [])
    this.#sporks = this.#acquire(endpoints.filter((endpoint) => !configured.has(endpointKey(endpoint))))
  }

  async release(): Promise<void> {
    await Promise.all(this.all.map((node) => this.#registry.release(node)))
  }

  #acquire(endpoints: readonly string[]): AccessNode[] {
    const { requestsPerSecond, burst } = this.#options
    const limits = {
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      ...(burst === undefined ? {} : { burst }),
    }
    const unique = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]))
    return [...unique.values()].map((endpoint) => this.#registry.acquire(endpoint, limits))
  }
}
