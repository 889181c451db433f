import { FatalError, RetryableError } from '../platform/errors.ts'
import type { FetchedBlock, HeadMessage } from './messages.ts'
import type { SourceNodesOptions } from './nodes/source-nodes.ts'
import type { GrpcCode } from './transport/grpc-status.ts'

/** A node of an older spork is required. */
export class BelowRootError extends FatalError {
  readonly height: number
  readonly rootHeight: number

  constructor(height: number, rootHeight: number) {
    super('below-root', `no node serves height ${height}; the lowest served height above it is ${rootHeight}`, {
      details: { height, rootHeight },
    })
    this.height = height
    this.rootHeight = rootHeight
  }
}

export class NotYetError extends RetryableError {
  readonly height: number

  constructor(height: number, cause: unknown) {
    super('not-yet', `height ${height} is not available on any node yet`, { cause, details: { height } })
    this.height = height
  }
}

/** `cause` is the last fault; `details.faults` lists them by node. */
export class NodesFailedError extends RetryableError {
  /** Connection errors, timeouts and rate limits only. */
  readonly isOutage: boolean

  constructor(what: string, faults: readonly string[], cause: unknown, isOutage = true) {
    super('nodes-failed', `${what}: ${faults.at(-1) ?? 'no node was available'}`, { cause, details: { faults } })
    this.isOutage = isOutage
  }
}

/** A node's responses are inconsistent or do not match the request. */
export class InconsistentResponseError extends RetryableError {
  constructor(endpoint: string, height: number, contradiction: string) {
    super('inconsistent-response', `${endpoint} at height ${height}: ${contradiction}`, {
      details: { endpoint, height },
    })
  }
}

/**
 * A node has the block but not all of its parts. Near the head this means "not yet"; far below it,
 * if all nodes agree, "never".
 */
export class PartMissingError extends RetryableError {
  constructor(endpoint: string, height: number, cause: unknown) {
    const words = cause instanceof Error ? cause.message : String(cause)
    super('part-missing', `${endpoint} at height ${height}: ${words}`, { cause, details: { endpoint, height } })
  }
}

/** Methods reject with the signal's reason on abort. */
export interface ChainSource {
  latestSealed(signal?: AbortSignal): Promise<HeadMessage>
  /**
   * Sealed heads: heights rise, except once after a rollback of the chain, and may be skipped. Ends
   * with the signal only.
   */
  heads(signal: AbortSignal): AsyncIterable<HeadMessage>
  /**
   * The complete block of a height, from one node.
   *
   * @param onAnswerLength called before each body arrives, including failed attempts, so that
   *   parallel fetching can be limited by bytes
   * @throws BelowRootError if no node reaches the height; NotYetError if no node has it sealed and
   *   executed yet; RetryableError if all attempts failed
   */
  fetchBlock(height: number, signal?: AbortSignal, onAnswerLength?: (bytes: number) => void): Promise<FetchedBlock>
  /**
   * For a settled height on which `fetchBlock` keeps failing: the most complete block with its
   * missing parts; undefined if no node serves the block itself.
   */
  salvageBlock(height: number, signal?: AbortSignal): Promise<PartialBlock>
  /** Whether the height is so far below the sealed head that nodes without it will not get it. */
  isSettled(height: number, signal?: AbortSignal): Promise<boolean>
  /** 32 bytes; throws as `fetchBlock`. */
  blockIdAt(height: number, signal?: AbortSignal): Promise<Buffer>
  /** 0 if unknown. */
  lowestReachable(signal?: AbortSignal): Promise<number>
  distrust(endpoint: string, reason: string): void
  /** `flow-mainnet`, `flow-testnet`, `flow-emulator`. */
  chainId(signal?: AbortSignal): Promise<string>
  status(): NodeStatus[]
  close(): Promise<void>
}

export interface PartialBlock {
  readonly block: FetchedBlock | undefined
  readonly reasons: readonly { readonly endpoint: string; readonly reason: string }[]
}

export interface NodeStatus {
  readonly endpoint: string
  /** Lowest served height; undefined while unknown. */
  readonly rootHeight: number | undefined
  readonly headHeight: number | undefined
  readonly resting: { readonly until: Date; readonly reason: string } | undefined
  readonly inFlight: number
  readonly calls: number
  readonly failures: number
  readonly requestsPerSecond: number | undefined
  readonly features: {
    readonly bulk: boolean | undefined
    readonly legacy: boolean | undefined
    readonly stream: boolean | undefined
  }
}

export interface SourceLogger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface CallReport {
  readonly endpoint: string
  readonly method: string
  readonly code: GrpcCode
  readonly durationMs: number
  /** 0 for a failed call. */
  readonly bytes: number
}

export interface ChainSourceOptions extends SourceNodesOptions {
  /** Poll interval for the head without a stream. */
  readonly pollMs?: number
  /** Three times as long for bulk calls. */
  readonly timeoutMs?: number
  /** Per height over all nodes. */
  readonly attempts?: number
  /**
   * Depth below the sealed head from which "not found" is permanent once every node has reported it
   * twice. Default 600: eight minutes of mainnet.
   */
  readonly settledDepth?: number
  readonly maxPauseMs?: number
  readonly log: SourceLogger
  readonly onCall?: (report: CallReport) => void
}
