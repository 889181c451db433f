import { FatalError, RetryableError } from '../platform/errors.ts'
import type { FetchedBlock, HeadMessage } from './messages.ts'
import type { GrpcCode } from './transport/grpc-status.ts'

/** No node has the height; a node of an older spork is required. */
export class BelowRootError extends FatalError {
  readonly height: number
  /** The lowest height above `height` that a node serves. */
  readonly rootHeight: number

  constructor(height: number, rootHeight: number) {
    super('below-root', `no node serves height ${height}; the lowest served height above it is ${rootHeight}`, {
      details: { height, rootHeight },
    })
    this.height = height
    this.rootHeight = rootHeight
  }
}

/** The height is not yet finalized, sealed or executed on any node. */
export class NotYetError extends RetryableError {
  readonly height: number

  constructor(height: number, cause: unknown) {
    super('not-yet', `height ${height} is not available on any node yet`, { cause, details: { height } })
    this.height = height
  }
}

/** All attempts failed. `cause` is the last fault; `details.faults` lists them by node. */
export class NodesFailedError extends RetryableError {
  /** No node responded to the request: connection errors, timeouts and rate limits only. */
  readonly isOutage: boolean

  constructor(what: string, faults: readonly string[], cause: unknown, isOutage = true) {
    super('nodes-failed', `${what}: ${faults.at(-1) ?? 'no node was available'}`, { cause, details: { faults } })
    this.isOutage = isOutage
  }
}

/** A node's responses are inconsistent or do not match the request. Another node may work. */
export class NodeLiedError extends RetryableError {
  constructor(endpoint: string, height: number, contradiction: string) {
    super('node-lied', `${endpoint} at height ${height}: ${contradiction}`, { details: { endpoint, height } })
  }
}

/**
 * A node has the block but not all of its parts. Near the head this means "not yet"; far below it, if all nodes
 * agree, "never".
 */
export class PartMissingError extends RetryableError {
  constructor(endpoint: string, height: number, cause: unknown) {
    const words = cause instanceof Error ? cause.message : String(cause)
    super('part-missing', `${endpoint} at height ${height}: ${words}`, { cause, details: { endpoint, height } })
  }
}

/** The chain as ingest needs it, independent of nodes. Methods reject with the signal's reason on abort. */
export interface ChainSource {
  /** The highest sealed header reported by a healthy node. */
  latestSealed(signal?: AbortSignal): Promise<HeadMessage>
  /**
   * Sealed heads: heights rise, except once after a rollback of the chain, and may be skipped. Ends with the signal
   * only: failing nodes are replaced, and a broken stream by polling.
   */
  heads(signal: AbortSignal): AsyncIterable<HeadMessage>
  /**
   * The complete block of a height, from one node, with all fall-backs.
   * @param onAnswerLength called with the length of each response before its body arrives, including failed attempts, so
   *   that parallel fetching can be limited by bytes
   * @throws BelowRootError if no node reaches the height
   * @throws NotYetError if no node has it sealed and executed yet
   * @throws RetryableError if all attempts failed
   */
  fetchBlock(height: number, signal?: AbortSignal, onAnswerLength?: (bytes: number) => void): Promise<FetchedBlock>
  /**
   * Best effort for a settled height on which `fetchBlock` keeps failing: tries each node once and returns the most
   * complete block with its missing parts; undefined if no node serves the block itself.
   */
  salvageBlock(height: number, signal?: AbortSignal): Promise<Salvage>
  /** Whether the height is so far below the sealed head that nodes without it will not get it. */
  isSettled(height: number, signal?: AbortSignal): Promise<boolean>
  /** The block id (32 bytes) of a height; throws as `fetchBlock`. */
  blockIdAt(height: number, signal?: AbortSignal): Promise<Buffer>
  /** The lowest known height of the nodes; 0 if unknown. */
  lowestReachable(signal?: AbortSignal): Promise<number>
  /** Rests a node whose data does not fit the chain, so that another is selected. */
  distrust(endpoint: string, reason: string): void
  /** `flow-mainnet`, `flow-testnet`, `flow-emulator`. */
  chainId(signal?: AbortSignal): Promise<string>
  status(): NodeStatus[]
  /** Cancels requests and closes connections that no other source uses. */
  close(): Promise<void>
}

export interface Salvage {
  readonly block: FetchedBlock | undefined
  /** Why the other nodes did not serve it. */
  readonly reasons: readonly { readonly endpoint: string; readonly reason: string }[]
}

/** State of a node for status pages. */
export interface NodeStatus {
  readonly endpoint: string
  /** Lowest served height; undefined while unknown. */
  readonly rootHeight: number | undefined
  /** Highest reported sealed height. */
  readonly headHeight: number | undefined
  readonly resting: { readonly until: Date; readonly reason: string } | undefined
  readonly inFlight: number
  readonly calls: number
  readonly failures: number
  /** Current rate limit; undefined: unlimited. */
  readonly requestsPerSecond: number | undefined
  /** Detected features; undefined while unknown. */
  readonly features: {
    readonly bulk: boolean | undefined
    readonly legacy: boolean | undefined
    readonly stream: boolean | undefined
  }
}

/** The used part of a pino logger. */
export interface SourceLogger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** A finished call, for metrics. */
export interface CallReport {
  readonly endpoint: string
  readonly method: string
  readonly code: GrpcCode
  readonly durationMs: number
  /** Response bytes; 0 for a failed call. */
  readonly bytes: number
}

export interface ChainSourceOptions {
  /** Nodes that follow the head. */
  readonly liveEndpoints: readonly string[]
  /** Nodes of past sporks. Blocks come from any node that has the height. */
  readonly historicEndpoints: readonly string[]
  /** Another node for history. */
  readonly archiveEndpoint?: string
  /** Calls per second to each node, for all sources of the process. Default: unlimited until a node refuses. */
  readonly requestsPerSecond?: number
  /** Calls at once after a pause; default `requestsPerSecond`. Ignored without it. */
  readonly burst?: number
  /** Poll interval for the head without a stream, ms. Default 100. */
  readonly pollMs?: number
  /** Timeout of a call, ms; three times as long for bulk calls. Default 10,000. */
  readonly timeoutMs?: number
  /** Attempts per height over all nodes. Default 6. */
  readonly attempts?: number
  /**
   * Depth below the sealed head from which "not found" is permanent once every node has reported it twice. Default
   * 600: eight minutes of mainnet.
   */
  readonly settledDepth?: number
  /** Maximum delay between attempts for a height, and maximum wait for a resting node, ms. Default 1,000. */
  readonly maxPauseMs?: number
  readonly log: SourceLogger
  readonly onCall?: (report: CallReport) => void
}
