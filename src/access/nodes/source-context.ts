import { untilAborted } from '../../platform/signals.ts'
import { causeOf, LogThrottle } from '../../platform/log-throttle.ts'
import type { CallReport, SourceLogger } from '../chain-source.ts'
import { identifyNode } from './identify-node.ts'
import { nodeFault } from './node-errors.ts'
import type { AccessNode, CallContext } from './node.ts'

/** Milliseconds that a node has to say who it is; so long a dead node may hold up the first block. */
const identifyTimeoutMs = 3_000
/** Milliseconds after which a node that could not say who it is is asked again. */
const identifyAgainMs = 30_000

export interface SourceSettings {
  readonly pollMs: number
  readonly timeoutMs: number
  readonly attempts: number
  readonly settledDepth: number
  readonly maxPauseMs: number
  readonly onCall: ((report: CallReport) => void) | undefined
}

/** What the parts of one chain source share: its nodes, its settings, and the signal that ends it. */
export class SourceContext {
  /** All nodes, live ones first. */
  readonly nodes: readonly AccessNode[]
  /** Those that are asked for the head. */
  readonly liveNodes: readonly AccessNode[]
  readonly settings: SourceSettings
  readonly log: SourceLogger
  /** Aborted when the source is closed. */
  readonly closing: AbortSignal
  /** The chain that the source follows: that of its first node that says one. */
  chainId: string | undefined
  readonly #identifiedAt = new Map<AccessNode, number>()
  readonly #failures = new LogThrottle()
  #identifying: Promise<void> | undefined
  #isIdentified = false

  constructor(
    nodes: { readonly all: readonly AccessNode[]; readonly live: readonly AccessNode[] },
    settings: SourceSettings,
    log: SourceLogger,
    closing: AbortSignal,
  ) {
    this.nodes = nodes.all
    this.liveNodes = nodes.live
    this.settings = settings
    this.log = log
    this.closing = closing
  }

  /** A signal that is aborted with the caller's, and when the source is closed. */
  signalOf(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.closing : AbortSignal.any([signal, this.closing])
  }

  callContext(signal: AbortSignal, urgent = false): CallContext {
    const { timeoutMs, onCall } = this.settings
    return { timeoutMs, signal, urgent, onCall }
  }

  /** Waits until every node has said who it is or has failed to; after the first time there is nothing to wait for. */
  async identified(signal: AbortSignal): Promise<void> {
    if (this.#isIdentified) return
    this.#identifying ??= this.identifyAgain()
    await untilAborted(this.#identifying, signal)
    this.#isIdentified = true
  }

  /** Asks the nodes that have not said who they are once more. */
  async identifyAgain(): Promise<void> {
    await Promise.all(this.nodes.filter(isUnknown).map((node) => this.#identify(node)))
    this.#adoptChain()
  }

  /** The nodes that may be asked: those that are not known to be on another chain. Asks unknown ones again at times. */
  usableNodes(): AccessNode[] {
    const usable: AccessNode[] = []
    for (const node of this.nodes) {
      if (isUnknown(node)) this.#identifyAtTimes(node)
      if (node.chainId === undefined || this.chainId === undefined || node.chainId === this.chainId) usable.push(node)
    }
    return usable
  }

  /** The highest sealed height that any node has reported. */
  get sealedHeight(): number | undefined {
    let highest: number | undefined
    for (const { headHeight } of this.nodes) {
      if (headHeight !== undefined && headHeight > (highest ?? -1)) highest = headHeight
    }
    return highest
  }

  /** A node failed: leaves it alone for a while, and says so. */
  rest(node: AccessNode, reason: string, since: number): void {
    if (!node.isOnTrial) this.#logRest(node.endpoint, reason)
    node.rest(reason, since)
  }

  /** A block of a node does not fit the chain. */
  distrust(node: AccessNode, reason: string): void {
    this.#logRest(node.endpoint, reason)
    node.distrust(reason)
  }

  #logRest(endpoint: string, reason: string): void {
    const suppressed = this.#failures.due(`${endpoint} ${causeOf(reason)}`)
    const details = { endpoint, reason, ...((suppressed ?? 0) > 0 ? { suppressed } : {}) }
    if (suppressed === undefined) this.log.debug(details, 'access node rests')
    else this.log.warn(details, 'access node rests')
  }

  /** A node answered. */
  recovered(node: AccessNode): void {
    node.stumbles = 0
    if (!node.isOnTrial) return
    node.recovered()
    this.log.info({ endpoint: node.endpoint }, 'access node is back')
  }

  async #identify(node: AccessNode): Promise<void> {
    const started = performance.now()
    this.#identifiedAt.set(node, started)
    try {
      const timeoutMs = Math.min(this.settings.timeoutMs, identifyTimeoutMs)
      await identifyNode(node, { ...this.callContext(this.closing, true), timeoutMs })
    } catch (error) {
      const reason = nodeFault(error)?.message ?? String(error)
      if (!this.closing.aborted) this.rest(node, reason, started)
    }
  }

  #identifyAtTimes(node: AccessNode): void {
    const askedAt = this.#identifiedAt.get(node)
    if (askedAt === undefined || performance.now() - askedAt < identifyAgainMs) return
    void this.#identify(node).then(() => this.#adoptChain())
  }

  #adoptChain(): void {
    this.chainId ??= this.nodes.find((node) => node.chainId !== undefined)?.chainId
    for (const { endpoint, chainId } of this.nodes) {
      if (chainId !== undefined && chainId !== this.chainId) {
        this.log.warn({ endpoint, chainId, expected: this.chainId }, 'access node is on another chain and is not used')
      }
    }
  }
}

function isUnknown(node: AccessNode): boolean {
  return node.rootHeight === undefined || node.chainId === undefined
}
