import { performance } from 'node:perf_hooks'
import { backoffMs } from '../../platform/retry.ts'
import { sporkOfHost, sporkOfRoot } from '../../flow/network.ts'
import type { Spork } from '../../flow/network.ts'
import type { CallReport, NodeStatus } from '../chain-source.ts'
import { GrpcError } from '../transport/grpc-status.ts'
import { nodeFault } from './node-errors.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ServiceName, Transport } from '../transport/transport.ts'

const restBaseMs = 250
const restMaxMs = 30_000
/** Milliseconds after which a node that was distrusted once is trusted like any other. */
const distrustMemoryMs = 300_000

/** Requests of this process so far. */
let requests = 0

export interface CallContext {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Goes before the calls that wait for the node's rate limit. */
  readonly urgent?: boolean
  /** Tries while the node refuses for its pace; each waits for the limit, which is lower every time. Default 1. */
  readonly refusedTries?: number
  readonly onCall?: ((report: CallReport) => void) | undefined
  /** Called with the length of the answer, before it has come where the transport can tell. */
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
}

/**
 * One access node and what is known of it; shared by all sources of the process. It is either
 * - `well`: the last thing that came from it was an answer;
 * - `resting`: it failed, and is left alone until `restUntil`, longer with every failure in a row;
 * - `on trial`: its rest is over, and nothing has come from it yet; it is asked for one thing at a time if others are
 *   there. An answer makes it well, a failure makes it rest again.
 */
export class AccessNode {
  readonly endpoint: string
  readonly limit: RateLimit
  /** Known from the host name. */
  readonly spork: Spork | undefined
  /** The lowest height that it serves; undefined while unknown. */
  rootHeight: number | undefined
  /** The root of the spork that it serves, where it says so. */
  sporkRootHeight: number | undefined
  /** The highest sealed height that it has reported. */
  headHeight: number | undefined
  /** As the node reports it, else by its spork. */
  chainId: string | undefined
  service: ServiceName
  /** Whether `service` has answered. */
  serviceKnown = false
  /** Whether it has the calls for all transactions and results of a block; undefined while not tried. */
  hasBulk: boolean | undefined
  /** Whether it streams block headers or digests; undefined while not tried. */
  hasStream: boolean | undefined
  /** Things that it is being asked for now. */
  inFlight = 0
  /** When a request was last sent to it, on a counter: the least recently used goes first among equals. */
  lastUsed = 0
  calls = 0
  failures = 0
  /** Heights in a row that it could not serve for reasons that may lie in the heights. */
  stumbles = 0
  readonly #transport: Transport
  #failuresInARow = 0
  #restUntil = 0
  #restFrom = 0
  #restReason = ''
  #distrusts = 0
  #distrustedAt = 0
  #distrustedUntil = 0

  constructor(transport: Transport, limit: RateLimit) {
    this.#transport = transport
    this.endpoint = transport.endpoint
    this.limit = limit
    this.spork = sporkOfHost(transport.endpoint)
    this.rootHeight = this.spork?.rootHeight
    this.sporkRootHeight = this.spork?.rootHeight
    this.chainId = this.spork === undefined ? undefined : `flow-${this.spork.network}`
    this.service = this.spork?.legacy === true ? 'access.AccessAPI' : 'flow.access.AccessAPI'
    if (transport.serverStream === undefined) this.hasStream = false
  }

  /** Where its spork ends, exclusive; undefined for the newest one, and where the spork is not known. */
  get endHeight(): number | undefined {
    if (this.spork !== undefined) return this.spork.endHeight
    return this.sporkRootHeight === undefined ? undefined : sporkOfRoot(this.sporkRootHeight)?.endHeight
  }

  get restingForMs(): number {
    return Math.max(0, Math.max(this.#restUntil, this.#distrustedUntil) - performance.now())
  }

  /** Milliseconds that a call would wait for the node's rate limit. */
  get waitMs(): number {
    return this.limit.waitMs
  }

  get isOnTrial(): boolean {
    return this.#failuresInARow > 0
  }

  /** Whether a height can be on this node, as far as is known. */
  mayServe(height: number): boolean {
    return (this.rootHeight ?? 0) <= height && height < (this.endHeight ?? Number.POSITIVE_INFINITY)
  }

  /**
   * One call, within the node's rate, which is lowered when the node refuses for its pace.
   * @throws GrpcError, or the signal's reason
   */
  async call(method: string, request: Uint8Array, context: CallContext): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const wait = this.limit.take(context.signal, context.urgent)
      if (wait !== undefined) await wait
      const started = performance.now()
      this.calls++
      try {
        const answer = await this.#unary(method, request, context)
        this.limit.succeeded()
        context.onCall?.(this.#report(method, 'OK', started, answer.length))
        return answer
      } catch (error) {
        context.signal?.throwIfAborted()
        this.failures++
        if (error instanceof GrpcError) context.onCall?.(this.#report(method, error.grpcCode, started, 0))
        if (nodeFault(error)?.kind !== 'rate-limited') throw error
        this.limit.refused()
        if (attempt >= (context.refusedTries ?? 1)) throw error
      }
    }
  }

  /** A server stream; counts as one call. Only where `hasStream` is not false. */
  async *stream(method: string, request: Uint8Array, signal: AbortSignal): AsyncGenerator<Buffer> {
    if (this.#transport.serverStream === undefined) return
    const wait = this.limit.take(signal, true)
    if (wait !== undefined) await wait
    this.calls++
    try {
      yield* this.#transport.serverStream(method, request, { signal, service: this.service })
    } catch (error) {
      signal.throwIfAborted()
      this.failures++
      throw error
    }
  }

  /** Something came from it: it is well. */
  recovered(): void {
    this.#failuresInARow = 0
    this.#restUntil = 0
  }

  /**
   * It failed: leaves it alone for a while.
   * @param since when the failed attempt began (`performance.now()`); attempts from before the last rest count with it
   */
  rest(reason: string, since: number): void {
    this.#restReason = reason
    if (since < this.#restFrom) return
    this.#failuresInARow++
    this.#restFrom = performance.now()
    this.#restUntil = this.#restFrom + backoffMs(this.#failuresInARow, restBaseMs, restMaxMs)
  }

  /**
   * Its block does not fit the chain: it rests, twice as long each time. Responses do not end this rest: the node
   * serves the bad block like any other, and would be selected for it again and again.
   */
  distrust(reason: string): void {
    const now = performance.now()
    if (now - this.#distrustedAt > distrustMemoryMs) this.#distrusts = 0
    this.#distrusts++
    this.#distrustedAt = now
    this.#distrustedUntil = now + backoffMs(this.#distrusts, restBaseMs, restMaxMs)
    this.#restReason = reason
  }

  /** A request is sent to it; `requestEnded` follows. */
  requestStarted(): void {
    this.inFlight++
    this.lastUsed = ++requests
  }

  requestEnded(): void {
    this.inFlight--
  }

  raiseRoot(rootHeight: number): void {
    this.rootHeight = Math.max(this.rootHeight ?? 0, rootHeight)
  }

  status(): NodeStatus {
    const restingForMs = this.restingForMs
    return {
      endpoint: this.endpoint,
      rootHeight: this.rootHeight,
      headHeight: this.headHeight,
      resting: restingForMs > 0 ? { until: new Date(Date.now() + restingForMs), reason: this.#restReason } : undefined,
      inFlight: this.inFlight,
      calls: this.calls,
      failures: this.failures,
      requestsPerSecond: this.limit.requestsPerSecond,
      features: {
        bulk: this.hasBulk,
        legacy: this.serviceKnown ? this.service === 'access.AccessAPI' : undefined,
        stream: this.hasStream,
      },
    }
  }

  async close(): Promise<void> {
    const call = { method: 'close', endpoint: this.endpoint }
    this.limit.close(new GrpcError('CANCELLED', 'the connection was closed', call))
    await this.#transport.close()
  }

  async #unary(method: string, request: Uint8Array, context: CallContext): Promise<Buffer> {
    const { timeoutMs, signal, onAnswerLength } = context
    let isAnnounced = false
    const announce = (bytes: number) => {
      isAnnounced = true
      onAnswerLength?.(bytes)
    }
    const options = { timeoutMs, service: this.service, onAnswerLength: onAnswerLength && announce }
    const answer = await this.#transport.unary(method, request, signal === undefined ? options : { ...options, signal })
    if (!isAnnounced) onAnswerLength?.(answer.length)
    return answer
  }

  #report(method: string, code: CallReport['code'], started: number, bytes: number): CallReport {
    return { endpoint: this.endpoint, method, code, durationMs: performance.now() - started, bytes }
  }
}
