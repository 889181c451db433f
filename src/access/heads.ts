import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { backoffMs, pause } from '../platform/retry.ts'
import { isFault, nodeFault } from './nodes/node-errors.ts'
import {
  SubscribeBlockDigestsFromLatestRequestSchema,
  SubscribeBlockDigestsResponseSchema,
  SubscribeBlockHeadersFromLatestRequestSchema,
} from './gen/flow/access/access_pb.ts'
import { BlockStatus } from './gen/flow/entities/block_pb.ts'
import type { HeadMessage } from './messages.ts'
import type { AccessNode, CallContext } from './nodes/node.ts'
import type { SourceContext } from './nodes/source-context.ts'
import { NodesFailedError } from './chain-source.ts'
import { readBlockHeaderResponse } from './wire/read-block.ts'
import { heightRequest, latestRequest } from './wire/requests.ts'
import { untilAborted } from '../platform/signals.ts'
import { detectService } from './nodes/identify-node.ts'

/** Without a message for this time, a stream is compared with the heads reported by nodes. */
const silenceMs = 3_000
const maxPollMs = 5_000
const pollShare = 0.25

/**
 * Reads the head once, then streams from a live node until the stream breaks or falls behind, then
 * repeats. Polls if no node streams. Each head is emitted once.
 */
export async function* followHeads(
  context: SourceContext,
  sealed: SealedHead,
  signal: AbortSignal,
): AsyncGenerator<HeadMessage> {
  try {
    await context.identified(signal)
    yield* new HeadFollower(context, sealed, signal).follow()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

class HeadFollower {
  readonly #context: SourceContext
  readonly #sealed: SealedHead
  readonly #signal: AbortSignal
  #last: HeadMessage | undefined
  #failures = 0
  readonly #pace: HeadPace

  constructor(context: SourceContext, sealed: SealedHead, signal: AbortSignal) {
    this.#context = context
    this.#sealed = sealed
    this.#signal = signal
    this.#pace = new HeadPace(context.settings.pollMs)
  }

  async *follow(): AsyncGenerator<HeadMessage> {
    for (;;) {
      const lookedAt = performance.now()
      const head = await this.#poll()
      if (head !== undefined) yield head
      const node = this.#streamer()
      if (node !== undefined) yield* this.#stream(node)
      await pause(Math.max(0, this.#pollMs() - (performance.now() - lookedAt)), this.#signal)
    }
  }

  async #poll(): Promise<HeadMessage | undefined> {
    try {
      const head = await this.#sealed.latest(this.#signal)
      this.#failures = 0
      return this.#isNews(head) ? head : undefined
    } catch (error) {
      if (!(error instanceof NodesFailedError)) throw error
      this.#failures++
      this.#context.log.debug({ reason: error.message }, 'No live access node reported a head')
      return undefined
    }
  }

  async *#stream(node: AccessNode): AsyncGenerator<HeadMessage> {
    const started = performance.now()
    const ending = new AbortController()
    const signal = AbortSignal.any([this.#signal, ending.signal])
    const messages = streamHeads(node, this.#context.callContext(signal, true), signal)
    let next = messages.next()
    try {
      for (;;) {
        const message = await orSilence(next)
        if (message === undefined) {
          const head = await this.#poll()
          if (head === undefined) continue
          const details = { endpoint: node.endpoint, height: head.height }
          this.#context.log.info(details, 'The head stream fell behind: starting another')
          yield head
          return
        }
        if (message.done === true) return
        node.hasStream = true
        node.headHeight = message.value.height
        this.#context.recovered(node)
        if (this.#isNews(message.value)) yield message.value
        next = messages.next()
      }
    } catch (error) {
      this.#signal.throwIfAborted()
      const fault = nodeFault(error)
      if (fault === undefined) throw error
      this.#context.rest(node, fault.message, started)
    } finally {
      ending.abort()
      await Promise.allSettled([next])
      await messages.return(undefined)
    }
  }

  #streamer(): AccessNode | undefined {
    const { liveNodes, chainId } = this.#context
    return liveNodes
      .filter((node) => node.hasStream !== false && node.restingForMs === 0 && (node.chainId ?? chainId) === chainId)
      .toSorted((a, b) => (b.headHeight ?? -1) - (a.headHeight ?? -1))[0]
  }

  /** Longer for a rate-limited node and longer still for a failing one. */
  #pollMs(): number {
    const rates = this.#context.liveNodes.map((node) => node.limit.requestsPerSecond ?? Number.POSITIVE_INFINITY)
    const minMs = 1_000 / (Math.min(...rates) * pollShare)
    const baseMs = Math.max(this.#failures === 0 ? this.#pace.waitMs : this.#context.settings.pollMs, minMs)
    const everyMs = this.#failures === 0 ? baseMs : backoffMs(this.#failures + 1, baseMs, maxPollMs)
    return Math.min(maxPollMs, everyMs)
  }

  #isNews(head: HeadMessage): boolean {
    if (this.#last?.id.equals(head.id) === true) return false
    this.#last = head
    this.#pace.arrived()
    return true
  }
}

/** Share of the poll interval at which nodes are polled while a head is due. */
const dueShare = 0.3

/** Polls often from shortly before the next head is due to twice the time between heads, seldom before. */
export class HeadPace {
  readonly #pollMs: number
  readonly #now: () => number
  #lastAt: number | undefined
  /** Averages of recent times between heads and of their differences from that average. */
  #intervalMs = 0
  #deviationMs = 0

  constructor(pollMs: number, now: () => number = () => performance.now()) {
    this.#pollMs = pollMs
    this.#now = now
  }

  arrived(): void {
    const now = this.#now()
    const elapsedMs = now - (this.#lastAt ?? now)
    this.#lastAt = now
    if (this.#intervalMs === 0) {
      // So that the next head is due from half of the time.
      this.#deviationMs = elapsedMs / 8
      this.#intervalMs = elapsedMs
      return
    }
    this.#deviationMs = 0.8 * this.#deviationMs + 0.2 * Math.abs(elapsedMs - this.#intervalMs)
    this.#intervalMs = 0.8 * this.#intervalMs + 0.2 * elapsedMs
  }

  get waitMs(): number {
    const sinceMs = this.#now() - (this.#lastAt ?? 0)
    if (sinceMs >= this.#intervalMs * 2) return this.#pollMs
    const dueMs = Math.max(this.#intervalMs / 2, this.#intervalMs - 4 * this.#deviationMs)
    const seldomMs = Math.max(this.#pollMs, this.#intervalMs / 4)
    return Math.max(this.#pollMs * dueShare, Math.min(seldomMs, dueMs - sinceMs))
  }
}

async function orSilence<T>(next: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, silenceMs, undefined)
  })
  try {
    return await Promise.race([next, silence])
  } finally {
    clearTimeout(timer)
  }
}

const blockStatus = BlockStatus.BLOCK_SEALED

type Heads = AsyncGenerator<HeadMessage>

/**
 * Streams headers if supported, else digests, each followed by a call for the header. If the node
 * streams neither, sets `hasStream` to false and ends.
 * @throws GrpcError, WireError
 */
async function* streamHeads(node: AccessNode, context: CallContext, signal: AbortSignal): Heads {
  for (const stream of [streamHeaders, streamDigests]) {
    try {
      yield* stream(node, context, signal)
      return
    } catch (error) {
      const fault = nodeFault(error)
      if (fault === undefined || !isFault({ fault, error }, 'unimplemented')) throw error
    }
  }
  node.hasStream = false
}

async function* streamHeaders(node: AccessNode, _context: CallContext, signal: AbortSignal): Heads {
  const schema = SubscribeBlockHeadersFromLatestRequestSchema
  const request = toBinary(schema, create(schema, { blockStatus }))
  for await (const answer of node.stream('SubscribeBlockHeadersFromLatest', request, signal)) {
    yield readBlockHeaderResponse(answer)
  }
}

async function* streamDigests(node: AccessNode, context: CallContext, signal: AbortSignal): Heads {
  const schema = SubscribeBlockDigestsFromLatestRequestSchema
  const request = toBinary(schema, create(schema, { blockStatus }))
  for await (const answer of node.stream('SubscribeBlockDigestsFromLatest', request, signal)) {
    const { blockHeight } = fromBinary(SubscribeBlockDigestsResponseSchema, answer)
    const byHeight = heightRequest(Number(blockHeight))
    yield readBlockHeaderResponse(await node.call('GetBlockHeaderByHeight', byHeight, context))
  }
}

/** Time for other nodes to report a higher head after the first response. */
const othersMs = 100
const headTimeoutMs = 5_000

/** At most one request at a time for all callers. */
export class SealedHead {
  readonly #context: SourceContext
  readonly #pending = new Map<AccessNode, Promise<HeadMessage>>()

  constructor(context: SourceContext) {
    this.#context = context
  }

  /**
   * Does not wait for nodes much slower than the first. If all are resting, all are tried.
   * @throws NodesFailedError if none responded, or the signal's reason
   */
  async latest(signal: AbortSignal): Promise<HeadMessage> {
    signal.throwIfAborted()
    const { chainId, liveNodes } = this.#context
    const usable = liveNodes.filter((node) => (node.chainId ?? chainId) === (chainId ?? node.chainId))
    const healthy = usable.filter((node) => node.restingForMs === 0)
    return this.#highest(healthy.length > 0 ? healthy : usable, signal)
  }

  async #highest(nodes: readonly AccessNode[], signal: AbortSignal): Promise<HeadMessage> {
    let highest: HeadMessage | undefined
    const requests = nodes.map(async (node) => {
      const head = await this.#request(node)
      if (highest === undefined || head.height > highest.height) highest = head
      return head
    })
    try {
      const first = await untilAborted(Promise.any(requests), signal)
      if (nodes.length > 1) await Promise.race([Promise.allSettled(requests), pause(othersMs, signal)])
      return highest ?? first
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error
      const faults = error.errors.map((fault) => nodeFault(fault)?.message ?? String(fault))
      throw new NodesFailedError('sealed head', faults, error)
    }
  }

  #request(node: AccessNode): Promise<HeadMessage> {
    const known = this.#pending.get(node)
    if (known !== undefined) return known
    const pending = this.#requestNow(node).finally(() => this.#pending.delete(node))
    this.#pending.set(node, pending)
    return pending
  }

  async #requestNow(node: AccessNode): Promise<HeadMessage> {
    const started = performance.now()
    const { closing, settings } = this.#context
    const timeoutMs = Math.min(settings.timeoutMs, headTimeoutMs)
    const context = { ...this.#context.callContext(closing, true), timeoutMs }
    try {
      const answer = await detectService(node, () => node.call('GetLatestBlockHeader', latestRequest(true), context))
      const head = readBlockHeaderResponse(answer)
      node.headHeight = head.height
      this.#context.recovered(node)
      return head
    } catch (error) {
      const fault = nodeFault(error)
      if (fault !== undefined && fault.kind !== 'rate-limited' && !closing.aborted) {
        this.#context.rest(node, fault.message, started)
      }
      throw error
    }
  }
}
