import { EventEmitter } from 'node:events'
import { FatalError } from '../../src/platform/errors.ts'
import { RestServer } from '../rest/rest-server.ts'
import { CallServer } from './call-server.ts'
import type { AccessNodeEvents } from './call-server.ts'
import { FaultBook } from '../node/fault-book.ts'
import type { InjectedFault } from '../node/fault-book.ts'
import type { Fault } from '../node/faults.ts'
import { RecentCache } from '../node/recent-cache.ts'
import type { NodeChain, NodeView, UnaryMethod } from '../node/node-view.ts'
import { RawGrpcServer } from './grpc-server.ts'

export interface AccessNodeOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0, which picks a free one. */
  readonly port?: number
  /** Whether it also answers the access API's REST, for browsers. Default false. */
  readonly hasRest?: boolean
  /** Of REST. Default 0, which picks a free one. */
  readonly restPort?: number
  /** The latest height at first. Default: the chain's `firstHead`. */
  readonly head?: number
  /** Milliseconds from one new block to the next, until the chain ends. Default: the head moves only when told. */
  readonly intervalMs?: number
  /** The lowest height that is served, told by GetNodeVersionInfo. Default: the lowest of the chain. */
  readonly sporkRootHeight?: number
  /**
   * After a switch, blocks of the versions before are found by id with `block_status` UNKNOWN, as on a real node.
   * Default false: they are forgotten, as on the emulator.
   */
  readonly keepsOrphans?: boolean
  /** From the beginning; see `inject`. */
  readonly faults?: readonly Fault[]
}

/** A node may be switched for hours; of the chains that it served before, so many are kept, and with them their orphans. */
const maxKeptChains = 8

/** Where a node's chains come from. */
export interface ChainSource<Chain extends NodeChain> {
  /** The chain that is served first. */
  readonly first: string
  /** Names of chains that can be switched to; there may be more than can be told. */
  readonly names: readonly string[]
  /** @throws FatalError for a name that there is not */
  chain(name: string): Chain
  /** The calls that these chains answer in a way of their own. */
  readonly methods: Readonly<Record<string, UnaryMethod<Chain>>>
}

/**
 * An access node that serves a chain over gRPC, in the services `flow.access.AccessAPI` and `access.AccessAPI`, and by REST if
 * that is wanted.
 *
 * States: idle; serving, from `listen` on; stopped, for good, after `stop`. While it serves, three things change from
 * outside: the version of the chain (`switchTo`), its head (`setHead`, `advance`, the interval), and its faults.
 * Everything is sealed at once.
 */
export class AccessNode<Chain extends NodeChain = NodeChain> {
  readonly events = new EventEmitter<AccessNodeEvents>()
  readonly #source: ChainSource<Chain>
  readonly #options: AccessNodeOptions
  readonly #faults = new FaultBook()
  readonly #callCounts = new Map<string, number>()
  readonly #chains = new RecentCache<string, Chain>(maxKeptChains)
  #server: RawGrpcServer | undefined
  #rest: RestServer | undefined
  #view: NodeView<Chain>
  #timer: NodeJS.Timeout | undefined

  constructor(source: ChainSource<Chain>, options: AccessNodeOptions) {
    this.#source = source
    this.#options = options
    this.events.setMaxListeners(0)
    this.#view = this.#viewOf(source.first, options.head)
    for (const fault of options.faults ?? []) this.inject(fault)
  }

  /** Opens the port and starts the interval. */
  async listen(): Promise<void> {
    const calls = new CallServer<Chain>({
      view: () => this.#view,
      methods: this.#source.methods,
      faults: this.#faults,
      events: this.events,
      count: (method) => this.#callCounts.set(method, this.callCount(method) + 1),
      dropConnection: (peer) => {
        this.#server?.dropConnection(peer)
        this.#rest?.dropConnection(peer)
      },
    })
    const { host = '127.0.0.1', port = 0, hasRest = false, restPort = 0, intervalMs } = this.#options
    this.#server = await RawGrpcServer.listen(host, port, calls.services())
    try {
      if (hasRest) this.#rest = await RestServer.listen(host, restPort, calls.unaryCalls())
    } catch (error) {
      await this.#server.close()
      throw error
    }
    if (intervalMs !== undefined) this.#keepPace(intervalMs)
  }

  /** `host:port` */
  get endpoint(): string {
    if (this.#server === undefined) throw new FatalError('node-idle', 'The node does not listen')
    return `${this.#server.host}:${this.#server.port}`
  }

  /** `http://host:port`, without a slash at the end. @throws FatalError where it has no REST */
  get restUrl(): string {
    if (this.#rest === undefined)
      throw new FatalError('node-without-rest', 'The node has no REST: start it with hasRest')
    return this.#rest.url
  }

  get chain(): Chain {
    return this.#view.chain
  }

  /** What it shows at this moment. */
  protected get view(): NodeView<Chain> {
    return this.#view
  }

  /** Name of the version that is served. */
  get version(): string {
    return this.#view.chain.name
  }

  /** Names of the versions that it can be switched to; there may be more than can be told. */
  get versions(): readonly string[] {
    return this.#source.names
  }

  get head(): number {
    return this.#view.head
  }

  get sporkRootHeight(): number {
    return this.#view.sporkRootHeight
  }

  /** How many calls of a method came in since the start, or of all methods. */
  callCount(method?: string): number {
    if (method !== undefined) return this.#callCounts.get(method) ?? 0
    return [...this.#callCounts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Makes `count` more blocks known, as far as the chain goes. */
  advance(count = 1): void {
    this.setHead(Math.min(this.head + count, this.chain.highest))
  }

  /** @throws FatalError when the chain has no such height */
  setHead(height: number): void {
    if (height === this.head) return
    this.#show({ ...this.#view, head: this.#checkedHead(this.chain, height) })
  }

  /**
   * Exchanges the chain for another version, as a rollback does: blocks of the old one that are not in the new one are
   * no longer found, and the head may be lower than before.
   * @param head default: the first head of the version
   * @throws FatalError when there is no such version or height
   */
  switchTo(version: string, head?: number): void {
    this.#show(this.#viewOf(version, head))
  }

  inject(fault: Fault): InjectedFault {
    return this.#faults.inject(fault)
  }

  clearFaults(): void {
    this.#faults.clear()
  }

  faults(): readonly InjectedFault[] {
    return this.#faults.list()
  }

  /** Cuts every connection once; clients may connect again at once. */
  dropConnections(): void {
    this.#server?.dropConnections()
    this.#rest?.dropConnections()
  }

  /** Stops at once, cutting calls and streams that are under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#server?.close(), this.#rest?.close()])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** One more block each time, and those that were missed while the process had no time: the head does not fall behind. */
  #keepPace(intervalMs: number): void {
    const start = performance.now()
    let made = 0
    this.#timer = setInterval(() => {
      const due = Math.max(made + 1, Math.floor((performance.now() - start) / intervalMs))
      this.advance(due - made)
      made = due
    }, intervalMs)
  }

  #show(view: NodeView<Chain>): void {
    this.#view = view
    this.events.emit('head', view.head)
  }

  #viewOf(name: string, head: number | undefined): NodeView<Chain> {
    const chain = this.#chains.get(name, () => this.#source.chain(name))
    const sporkRootHeight = this.#options.sporkRootHeight ?? chain.lowest
    if (sporkRootHeight < chain.lowest) {
      const message = `The spork root ${sporkRootHeight} is below the chain, which begins at ${chain.lowest}`
      throw new FatalError('root-below-chain', message)
    }
    const others = [...this.#chains.values()].filter((other) => other !== chain)
    return {
      chain,
      head: this.#checkedHead(chain, head ?? chain.firstHead, sporkRootHeight),
      sporkRootHeight,
      orphanChains: this.#options.keepsOrphans === true ? others : [],
    }
  }

  #checkedHead(chain: Chain, head: number, root = this.sporkRootHeight): number {
    if (Number.isSafeInteger(head) && head >= root && head <= chain.highest) return head
    throw new FatalError('head-outside-chain', `The head ${head} is outside the chain from ${root} to ${chain.highest}`)
  }
}
