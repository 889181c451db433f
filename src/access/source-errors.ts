import { FatalError, RetryableError } from '../platform/errors.ts'

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
