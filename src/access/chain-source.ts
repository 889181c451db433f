import { FatalError, RetryableError } from '../platform/errors.ts'
import type { FetchedBlock, HeadMessage } from './messages.ts'
import type { GrpcCode } from './transport/grpc-status.ts'

/** No node reaches as low as the height that was asked for. Going on needs a node of an older spork. */
export class BelowRootError extends FatalError {
  readonly height: number
  /** The lowest height above `height` that a node serves. */
  readonly rootHeight: number

  constructor(height: number, rootHeight: number) {
    super('below-root', `no node serves height ${height}; the next one up that is served is ${rootHeight}`, {
      details: { height, rootHeight },
    })
    this.height = height
    this.rootHeight = rootHeight
  }
}

/** The height is not there yet: not finalized, not sealed or not executed, on any node. */
export class NotYetError extends RetryableError {
  readonly height: number

  constructor(height: number, cause: unknown) {
    super('not-yet', `height ${height} is on no node yet`, { cause, details: { height } })
    this.height = height
  }
}

/** Every try failed. `cause` is the last fault, `details.faults` names all of them by node. */
export class NodesFailedError extends RetryableError {
  /** No node responded to the request itself: the faults are of connections, time-outs and rate limits. */
  readonly isOutage: boolean

  constructor(what: string, faults: readonly string[], cause: unknown, isOutage = true) {
    super('nodes-failed', `${what}: ${faults.at(-1) ?? 'no node could be asked'}`, { cause, details: { faults } })
    this.isOutage = isOutage
  }
}

/** A node's answers contradict each other or the question. Another node may do better. */
export class NodeLiedError extends RetryableError {
  constructor(endpoint: string, height: number, contradiction: string) {
    super('node-lied', `${endpoint} at height ${height}: ${contradiction}`, { details: { endpoint, height } })
  }
}

/**
 * A node has the block, but not all that belongs to it. Near the head that means "not yet"; far below it, when every
 * node says so, "never".
 */
export class PartMissingError extends RetryableError {
  constructor(endpoint: string, height: number, cause: unknown) {
    const words = cause instanceof Error ? cause.message : String(cause)
    super('part-missing', `${endpoint} at height ${height}: ${words}`, { cause, details: { endpoint, height } })
  }
}

/** What ingest needs of the chain, whichever nodes serve it. Every method rejects with the signal's reason on abort. */
export interface ChainSource {
  /** The latest sealed header: the highest that any healthy node reports. */
  latestSealed(signal?: AbortSignal): Promise<HeadMessage>
  /**
   * Sealed heads as they come: heights rise, or fall once after the chain was rolled back. Heights may be left out.
   * Ends with the signal only; a node that fails is replaced by another, a stream by polling.
   */
  heads(signal: AbortSignal): AsyncIterable<HeadMessage>
  /**
   * Everything of one height, from one node, with every fall-back.
   * @param onAnswerLength called with the length of each answer that is to come, in bytes, before it has come: so that
   *   who fetches many blocks at once can stop in time; tries that fail are announced too
   * @throws BelowRootError where no node reaches so low
   * @throws NotYetError where no node has it sealed and executed yet
   * @throws RetryableError where the attempts are used up
   */
  fetchBlock(height: number, signal?: AbortSignal, onAnswerLength?: (bytes: number) => void): Promise<FetchedBlock>
  /**
   * What is left of a settled height that `fetchBlock` keeps failing on: each node is asked once, and the most complete
   * block is returned, with its missing parts; undefined where no node serves the block itself.
   */
  salvageBlock(height: number, signal?: AbortSignal): Promise<Salvage>
  /** Whether a height is so far below the sealed head that nodes that lack it will not get it. */
  isSettled(height: number, signal?: AbortSignal): Promise<boolean>
  /** The id (32 bytes) of the block at a height; throws as `fetchBlock`. */
  blockIdAt(height: number, signal?: AbortSignal): Promise<Buffer>
  /** The lowest height that the nodes reach, as far as known; 0 where nothing says otherwise. */
  lowestReachable(signal?: AbortSignal): Promise<number>
  /** What a node gave does not fit to the chain: leaves it alone for a while, so that another is asked. */
  distrust(endpoint: string, reason: string): void
  /** `flow-mainnet`, `flow-testnet`, `flow-emulator`. */
  chainId(signal?: AbortSignal): Promise<string>
  status(): NodeStatus[]
  /** Ends what is under way and closes the connections that no other source uses. */
  close(): Promise<void>
}

export interface Salvage {
  readonly block: FetchedBlock | undefined
  /** Why the others of the nodes asked did not serve it. */
  readonly reasons: readonly { readonly endpoint: string; readonly reason: string }[]
}

/** One node as people see it. */
export interface NodeStatus {
  readonly endpoint: string
  /** The lowest height that it serves; undefined while unknown. */
  readonly rootHeight: number | undefined
  /** The highest sealed height it has reported. */
  readonly headHeight: number | undefined
  readonly resting: { readonly until: Date; readonly reason: string } | undefined
  readonly inFlight: number
  readonly calls: number
  readonly failures: number
  /** Requests per second that it is asked for at most; undefined while it has no limit. */
  readonly requestsPerSecond: number | undefined
  /** What it turned out to have; undefined while not tried. */
  readonly features: {
    readonly bulk: boolean | undefined
    readonly legacy: boolean | undefined
    readonly stream: boolean | undefined
  }
}

/** The part of a pino logger that is needed. */
export interface SourceLogger {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** One finished call, for counters and histograms. */
export interface CallReport {
  readonly endpoint: string
  readonly method: string
  readonly code: GrpcCode
  readonly durationMs: number
  /** Bytes of the answer; 0 for a failed call. */
  readonly bytes: number
}

export interface ChainSourceOptions {
  /** Nodes that follow the head; they are asked for it. */
  readonly liveEndpoints: readonly string[]
  /** Nodes of past sporks; blocks come from these and the live ones, whichever reaches the height. */
  readonly historicEndpoints: readonly string[]
  /** One more node for history. */
  readonly archiveEndpoint?: string
  /** Calls per second to each node, over all sources of the process. Default: no limit until a node asks for one. */
  readonly requestsPerSecond?: number
  /** Calls that may be made at once after a pause; default `requestsPerSecond`. Means nothing without it. */
  readonly burst?: number
  /** Milliseconds between two looks for a new head where a node has no stream. Default 100. */
  readonly pollMs?: number
  /** Milliseconds until a call counts as failed; three times as many for bulk calls. Default 10,000. */
  readonly timeoutMs?: number
  /** Tries of one height over all nodes before it is given up. Default 6. */
  readonly attempts?: number
  /**
   * Blocks below the sealed head from which on "not found" is believed to be for ever, once every node has said it
   * twice. Default 600: eight minutes of mainnet.
   */
  readonly settledDepth?: number
  /** Milliseconds between two tries of a height, and for which a resting node is waited for, at most. Default 1,000. */
  readonly maxPauseMs?: number
  readonly log: SourceLogger
  readonly onCall?: (report: CallReport) => void
}
