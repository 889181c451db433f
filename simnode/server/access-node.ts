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
  readonly host?: string
  /** Default 0: a free port. */
  readonly port?: number
  /** Default false. */
  readonly hasRest?: boolean
  /** Default 0: a free port. */
  readonly restPort?: number
  /** Default: the chain's `firstHead`. */
  readonly head?: number
  /** Milliseconds. Default: the head moves only on request. */
  readonly intervalMs?: number
  /** Default: the chain's lowest. */
  readonly sporkRootHeight?: number
  /**
   * After a switch, blocks of earlier versions are found by id with `block_status` UNKNOWN, as on a
   * real node. Default false, as on the emulator.
   */
  readonly keepsOrphans?: boolean
  readonly faults?: readonly Fault[]
}

/** Orphans of older chains are lost. */
const maxCachedChains = 8

export interface ChainSource<Chain extends NodeChain> {
  readonly first: string
  /** Known names; there may be more. */
  readonly names: readonly string[]
  /** @throws FatalError for an unknown name */
  chain(name: string): Chain
  readonly methods: Readonly<Record<string, UnaryMethod<Chain>>>
}

/**
 * Serves gRPC (`flow.access.AccessAPI`, `access.AccessAPI`) and optionally REST. States: idle;
 * serving, after `listen`; stopped, after `stop`.
 */
export class AccessNode<Chain extends NodeChain = NodeChain> {
  readonly events = new EventEmitter<AccessNodeEvents>()
  readonly #source: ChainSource<Chain>
  readonly #options: AccessNodeOptions
  readonly #faults = new FaultBook()
  readonly #callCounts = new Map<string, number>()
  readonly #chains = new RecentCache<string, Chain>(maxCachedChains)
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
    if (this.#server === undefined) throw new FatalError('node-idle', 'The node is not listening')
    return `${this.#server.host}:${this.#server.port}`
  }

  /** `http://host:port` @throws FatalError without REST */
  get restUrl(): string {
    if (this.#rest === undefined)
      throw new FatalError('node-without-rest', 'The node has no REST API: start it with hasRest')
    return this.#rest.url
  }

  get chain(): Chain {
    return this.#view.chain
  }

  protected get view(): NodeView<Chain> {
    return this.#view
  }

  get version(): string {
    return this.#view.chain.name
  }

  get versions(): readonly string[] {
    return this.#source.names
  }

  get head(): number {
    return this.#view.head
  }

  get sporkRootHeight(): number {
    return this.#view.sporkRootHeight
  }

  /** Of one method or of all. */
  callCount(method?: string): number {
    if (method !== undefined) return this.#callCounts.get(method) ?? 0
    return [...this.#callCounts.values()].reduce((sum, count) => sum + count, 0)
  }

  advance(count = 1): void {
    this.setHead(Math.min(this.head + count, this.chain.highest))
  }

  /** @throws FatalError for a height outside the chain */
  setHead(height: number): void {
    if (height === this.head) return
    this.#show({ ...this.#view, head: this.#checkedHead(this.chain, height) })
  }

  /**
   * As after a rollback; the head may be lower.
   *
   * @param head default: the first head of the version
   *
   * @throws FatalError for an unknown version or height
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

  dropConnections(): void {
    this.#server?.dropConnections()
    this.#rest?.dropConnections()
  }

  /** Cuts calls and streams in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#server?.close(), this.#rest?.close()])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Catches up after a pause of the process. */
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
