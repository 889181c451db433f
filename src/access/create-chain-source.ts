import { linkSignals, untilAborted } from '../platform/signals.ts'
import type { LinkedSignal } from '../platform/signals.ts'
import { normalize } from '../platform/ranges.ts'
import { pause } from '../platform/retry.ts'
import { chainIdToNetwork, encodingFor, isInPastSpork, sporkOfRoot } from '../flow/network.ts'
import { requestHeight } from './nodes/request-nodes.ts'
import type { HeightRequest } from './nodes/request-nodes.ts'
import { attempt } from './nodes/node-errors.ts'
import { BlockCalls } from './nodes/block-calls.ts'
import { NodesFailedError } from './chain-source.ts'
import type { ChainSource, ChainSourceOptions, NodeStatus, PartialBlock } from './chain-source.ts'
import { checkHeader } from './check-block.ts'
import { fetchNodeBlock } from './fetch-node-block.ts'
import type { NodeBlockOptions } from './fetch-node-block.ts'
import { followHeads, SealedHead } from './heads.ts'
import type { FetchedBlock, HeadMessage } from './messages.ts'
import { detectService } from './nodes/identify-node.ts'
import { processNodes } from './nodes/node-registry.ts'
import type { NodeRegistry } from './nodes/node-registry.ts'
import { SourceContext } from './nodes/source-context.ts'
import { SourceNodes } from './nodes/source-nodes.ts'

const chainIdEveryMs = 500

/** Connects on the first call. @throws FatalError for an invalid endpoint, or without endpoints */
export function createChainSource(options: ChainSourceOptions, registry: NodeRegistry = processNodes): ChainSource {
  return new NodeChainSource(options, registry)
}

class NodeChainSource implements ChainSource {
  readonly #nodes: SourceNodes
  readonly #closing = new AbortController()
  readonly #inFlight = new Set<LinkedSignal>()
  readonly #context: SourceContext
  readonly #head: SealedHead
  #isClosed = false

  constructor(options: ChainSourceOptions, registry: NodeRegistry) {
    this.#nodes = new SourceNodes(options, registry)
    const settings = {
      pollMs: options.pollMs ?? 100,
      timeoutMs: options.timeoutMs ?? 10_000,
      attempts: options.attempts ?? 6,
      settledDepth: options.settledDepth ?? 600,
      maxPauseMs: options.maxPauseMs ?? 1_000,
      onCall: options.onCall,
    }
    this.#context = new SourceContext(this.#nodes, settings, options.log, this.#closing.signal)
    this.#head = new SealedHead(this.#context)
  }

  async latestSealed(signal?: AbortSignal): Promise<HeadMessage> {
    const combined = this.#context.signalOf(signal)
    await this.#context.identified(combined)
    return this.#head.latest(combined)
  }

  heads(signal: AbortSignal): AsyncIterable<HeadMessage> {
    return followHeads(this.#context, this.#head, this.#context.signalOf(signal))
  }

  async fetchBlock(
    height: number,
    signal?: AbortSignal,
    onAnswerLength?: (bytes: number) => void,
  ): Promise<FetchedBlock> {
    const fetch = this.#fetcherOf(height, await this.chainId(signal))
    const send = (calls: BlockCalls, acceptMissing: boolean) => fetch(calls, { acceptMissing })
    return this.#request({ height, send, onAnswerLength }, signal)
  }

  async salvageBlock(height: number, signal?: AbortSignal): Promise<PartialBlock> {
    const fetch = this.#fetcherOf(height, await this.chainId(signal))
    const context = this.#context.callContext(this.#context.signalOf(signal))
    let best: FetchedBlock | undefined
    const reasons: { endpoint: string; reason: string }[] = []
    for (const node of this.#context.usableNodes().filter((one) => one.mayServe(height))) {
      const { endpoint } = node
      const calls = new BlockCalls(node, context)
      const outcome = await attempt(fetch(calls, { acceptMissing: true, acceptFailing: true }))
      context.signal?.throwIfAborted()
      if (outcome.fault !== undefined) reasons.push({ endpoint, reason: outcome.fault.message })
      else if (best === undefined || lostParts(outcome.value) < lostParts(best)) best = outcome.value
      if (best?.missing.length === 0) break
    }
    return { block: best, reasons }
  }

  isSettled(height: number, signal?: AbortSignal): Promise<boolean> {
    return this.#isSettled(height, this.#context.signalOf(signal))
  }

  #fetcherOf(
    height: number,
    chainId: string,
  ): (calls: BlockCalls, accept: Pick<NodeBlockOptions, 'acceptMissing' | 'acceptFailing'>) => Promise<FetchedBlock> {
    const network = chainIdToNetwork(chainId) ?? 'emulator'
    const encoding = encodingFor(network, height)
    return (calls, accept) => {
      const { sporkRootHeight } = calls.node
      const isSporkRoot = height === 0 || height === sporkRootHeight || sporkOfRoot(height)?.network === network
      return fetchNodeBlock(calls, height, { encoding, isSporkRoot, ...accept })
    }
  }

  async blockIdAt(height: number, signal?: AbortSignal): Promise<Buffer> {
    await this.#context.identified(this.#context.signalOf(signal))
    const send = async (calls: BlockCalls) => {
      const header = await detectService(calls.node, () => calls.header(height))
      checkHeader(header, height, calls.node.endpoint)
      return Buffer.from(header.id)
    }
    return this.#request({ height, send }, signal)
  }

  async lowestReachable(signal?: AbortSignal): Promise<number> {
    await this.#context.identified(this.#context.signalOf(signal))
    const reaches = this.#context.usableNodes().map((node) => ({
      from: node.rootHeight ?? 0,
      to: node.endHeight ?? Number.POSITIVE_INFINITY,
    }))
    return normalize(reaches).at(-1)?.from ?? 0
  }

  async chainId(signal?: AbortSignal): Promise<string> {
    if (this.#context.chainId !== undefined) return this.#context.chainId
    const combined = this.#context.signalOf(signal)
    await this.#context.identified(combined)
    for (let attempt = 1; this.#context.chainId === undefined; attempt++) {
      if (attempt > this.#context.settings.attempts) {
        throw new NodesFailedError('chain id', ['no node reported it'], undefined)
      }
      await pause(chainIdEveryMs, combined)
      await untilAborted(this.#context.identifyAgain(), combined)
    }
    return this.#context.chainId
  }

  distrust(endpoint: string, reason: string): void {
    const node = this.#context.nodes.find((candidate) => candidate.endpoint === endpoint)
    if (node !== undefined) this.#context.distrust(node, reason)
  }

  status(): NodeStatus[] {
    return this.#context.nodes.map((node) => node.status())
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const reason = new NodesFailedError('chain source', ['it was closed'], undefined)
    this.#closing.abort(reason)
    for (const request of this.#inFlight) request.abort(reason)
    await this.#nodes.release()
  }

  async #request<T>(request: Omit<HeightRequest<T>, 'isSettled'>, signal: AbortSignal | undefined): Promise<T> {
    this.#closing.signal.throwIfAborted()
    // The long-lived signal's dead listeners would keep recent blocks in memory.
    const linked = linkSignals(signal === undefined ? [] : [signal])
    this.#inFlight.add(linked)
    const isSettled = () => this.#isSettled(request.height, linked.signal)
    try {
      return await requestHeight(this.#context, { ...request, isSettled }, linked.signal)
    } finally {
      this.#inFlight.delete(linked)
      linked.unlink()
    }
  }

  async #isSettled(height: number, signal: AbortSignal): Promise<boolean> {
    const { chainId, settings } = this.#context
    const network = chainId === undefined ? undefined : chainIdToNetwork(chainId)
    if (network !== undefined && isInPastSpork(network, height)) return true
    try {
      const sealedHeight = this.#context.sealedHeight ?? (await this.#head.latest(signal)).height
      return height <= sealedHeight - settings.settledDepth
    } catch (error) {
      if (error instanceof NodesFailedError) return false
      throw error
    }
  }
}

/** Losing all transactions is worse than losing any results. */
function lostParts({ missing }: FetchedBlock): number {
  return missing.reduce((sum, { part }) => sum + (part === 'result' ? 1 : Number.MAX_SAFE_INTEGER), 0)
}
