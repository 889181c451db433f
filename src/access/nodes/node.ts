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
const distrustMemoryMs = 300_000

let requests = 0

export interface CallContext {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Bypasses calls that wait for the node's rate limit. */
  readonly urgent?: boolean
  /** Attempts after rate-limit refusals; each waits for the limit, which decreases every time. */
  readonly refusedTries?: number
  readonly onCall?: ((report: CallReport) => void) | undefined
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
}

/**
 * One access node, shared by all sources of the process:
 * - `well`: its last call succeeded;
 * - `resting`: it failed; longer after each failure in a row;
 * - `on trial`: its rest is over; it gets one request at a time if there are other nodes.
 */
export class AccessNode {
  readonly endpoint: string
  readonly limit: RateLimit
  /** From the host name. */
  readonly spork: Spork | undefined
  /** Lowest served height; undefined while unknown. */
  rootHeight: number | undefined
  sporkRootHeight: number | undefined
  headHeight: number | undefined
  /** As reported, else from its spork. */
  chainId: string | undefined
  service: ServiceName
  serviceKnown = false
  /** Undefined while unknown. */
  hasBulk: boolean | undefined
  /** Undefined while unknown. */
  hasStream: boolean | undefined
  inFlight = 0
  lastUsed = 0
  calls = 0
  failures = 0
  /** Consecutive faults that may be caused by the heights. */
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

  /** First height after its spork; undefined for the latest or an unknown spork. */
  get endHeight(): number | undefined {
    if (this.spork !== undefined) return this.spork.endHeight
    return this.sporkRootHeight === undefined ? undefined : sporkOfRoot(this.sporkRootHeight)?.endHeight
  }

  get restingForMs(): number {
    return Math.max(0, Math.max(this.#restUntil, this.#distrustedUntil) - performance.now())
  }

  get waitMs(): number {
    return this.limit.waitMs
  }

  get isOnTrial(): boolean {
    return this.#failuresInARow > 0
  }

  mayServe(height: number): boolean {
    return (this.rootHeight ?? 0) <= height && height < (this.endHeight ?? Number.POSITIVE_INFINITY)
  }

  /**
   * Within the node's rate limit, which decreases after refusals.
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

  /** Counts as one call. Requires `hasStream` not false. */
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

  recovered(): void {
    this.#failuresInARow = 0
    this.#restUntil = 0
  }

  /**
   * @param since start of the failed attempt (`performance.now()`); attempts that started before
   *   the last rest count with it
   */
  rest(reason: string, since: number): void {
    this.#restReason = reason
    if (since < this.#restFrom) return
    this.#failuresInARow++
    this.#restFrom = performance.now()
    this.#restUntil = this.#restFrom + backoffMs(this.#failuresInARow, restBaseMs, restMaxMs)
  }

  /**
   * Rests the node because its block does not fit the chain, twice as long each time. Successful
   * calls do not end this rest.
   */
  distrust(reason: string): void {
    const now = performance.now()
    if (now - this.#distrustedAt > distrustMemoryMs) this.#distrusts = 0
    this.#distrusts++
    this.#distrustedAt = now
    this.#distrustedUntil = now + backoffMs(this.#distrusts, restBaseMs, restMaxMs)
    this.#restReason = reason
  }

  /** `requestEnded` must follow. */
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
