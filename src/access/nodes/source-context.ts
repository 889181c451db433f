import { untilAborted } from '../../platform/signals.ts'
import { causeOf, LogThrottle } from '../../platform/log-throttle.ts'
import type { CallReport, SourceLogger } from '../chain-source.ts'
import { identifyNode } from './identify-node.ts'
import { nodeFault } from './node-errors.ts'
import type { AccessNode, CallContext } from './node.ts'
import type { SourceNodes } from './source-nodes.ts'

/** A dead node delays the first block this long. */
const identifyTimeoutMs = 3_000
const identifyAgainMs = 30_000

export interface SourceSettings {
  readonly pollMs: number
  readonly timeoutMs: number
  readonly attempts: number
  readonly settledDepth: number
  readonly maxPauseMs: number
  readonly onCall: ((report: CallReport) => void) | undefined
}

export class SourceContext {
  readonly #nodes: SourceNodes
  readonly settings: SourceSettings
  readonly log: SourceLogger
  readonly closing: AbortSignal
  chainId: string | undefined
  readonly #identifiedAt = new Map<AccessNode, number>()
  readonly #failures = new LogThrottle()
  #identifying: Promise<void> | undefined
  #isIdentified = false

  constructor(nodes: SourceNodes, settings: SourceSettings, log: SourceLogger, closing: AbortSignal) {
    this.#nodes = nodes
    this.settings = settings
    this.log = log
    this.closing = closing
  }

  get nodes(): readonly AccessNode[] {
    return this.#nodes.all
  }

  get liveNodes(): readonly AccessNode[] {
    return this.#nodes.live
  }

  signalOf(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.closing : AbortSignal.any([signal, this.closing])
  }

  callContext(signal: AbortSignal, urgent = false): CallContext {
    const { timeoutMs, onCall } = this.settings
    return { timeoutMs, signal, urgent, onCall }
  }

  /** Waits until every node is identified or has failed to be. */
  async identified(signal: AbortSignal): Promise<void> {
    if (this.#isIdentified) return
    this.#identifying ??= this.identifyAgain()
    await untilAborted(this.#identifying, signal)
    this.#isIdentified = true
  }

  async identifyAgain(): Promise<void> {
    await Promise.all(this.nodes.filter(isUnknown).map((node) => this.#identify(node)))
    this.#adoptChain()
  }

  /** Nodes not known to be on another chain. Retries unidentified ones occasionally. @param height all if absent */
  usableNodes(height?: number): AccessNode[] {
    const usable: AccessNode[] = []
    for (const node of height === undefined ? this.nodes : this.#nodes.for(height)) {
      if (isUnknown(node)) this.#identifyAtTimes(node)
      if (node.chainId === undefined || this.chainId === undefined || node.chainId === this.chainId) usable.push(node)
    }
    return usable
  }

  get sealedHeight(): number | undefined {
    let highest: number | undefined
    for (const { headHeight } of this.nodes) {
      if (headHeight !== undefined && headHeight > (highest ?? -1)) highest = headHeight
    }
    return highest
  }

  rest(node: AccessNode, reason: string, since: number): void {
    if (!node.isOnTrial) this.#logRest(node.endpoint, reason)
    node.rest(reason, since)
  }

  /** The node's block does not fit the chain. */
  distrust(node: AccessNode, reason: string): void {
    this.#logRest(node.endpoint, reason)
    node.distrust(reason)
  }

  #logRest(endpoint: string, reason: string): void {
    const suppressed = this.#failures.due(`${endpoint} ${causeOf(reason)}`)
    const details = { endpoint, reason, ...((suppressed ?? 0) > 0 ? { suppressed } : {}) }
    if (suppressed === undefined) this.log.debug(details, 'Access node suspended')
    else this.log.warn(details, 'Access node suspended')
  }

  recovered(node: AccessNode): void {
    node.stumbles = 0
    if (!node.isOnTrial) return
    node.recovered()
    this.log.info({ endpoint: node.endpoint }, 'Access node resumed')
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
    const requestedAt = this.#identifiedAt.get(node)
    if (requestedAt === undefined || performance.now() - requestedAt < identifyAgainMs) return
    void this.#identify(node).then(() => this.#adoptChain())
  }

  #adoptChain(): void {
    if (this.chainId === undefined) {
      this.chainId = this.nodes.find((node) => node.chainId !== undefined)?.chainId
      if (this.chainId !== undefined) this.#nodes.addSporks(this.chainId)
    }
    for (const { endpoint, chainId } of this.nodes) {
      if (chainId !== undefined && chainId !== this.chainId) {
        this.log.warn({ endpoint, chainId, expected: this.chainId }, 'Access node of another chain ignored')
      }
    }
  }
}

function isUnknown(node: AccessNode): boolean {
  return node.rootHeight === undefined || node.chainId === undefined
}
