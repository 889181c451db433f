/**
 * What happened to a scheduled transaction:
 * - `scheduled`: somebody paid for it
 * - `pending`: it is due, and runs in this block
 * - `executed`, `failed`: it ran, as a transaction of the chain's own
 * - `canceled`: whoever scheduled it took it back
 */
export type ScheduledChangeKind = 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'

/** A change of a scheduled transaction, with what its event tells; undefined is what it does not tell. */
export interface ScheduledChange {
  readonly txIndex: number
  /** -1 where a run failed, of which no event tells. */
  readonly eventIndex: number
  readonly kind: ScheduledChangeKind
  /** The scheduler's own number. */
  readonly id: bigint
  /** 0 high, 1 medium, 2 low. */
  readonly priority?: number | undefined
  /** When it is to run, microseconds since 1970. */
  readonly dueUs?: number | undefined
  /** Computation that it may use. */
  readonly executionEffort?: bigint | undefined
  /** Paid in advance, in FLOW, UFix64 text. */
  readonly fees?: string | undefined
  readonly feesReturned?: string | undefined
  readonly feesDeducted?: string | undefined
  /** The account in which the handler lies, 0x and 16 hex digits. */
  readonly handlerOwner?: string | undefined
  /** Cadence type of the handler. */
  readonly handlerType?: string | undefined
  readonly handlerUuid?: bigint | undefined
  /** Where the handler says that it can be looked at; nobody checks it. */
  readonly handlerPublicPath?: string | undefined
}

/** What could not be read. */
export interface ScheduledProblem {
  readonly txIndex: number
  /** -1 where it concerns the transaction. */
  readonly eventIndex: number
  readonly code: 'scheduled-event-shape' | 'scheduled-run-unmatched'
  readonly message: string
  readonly eventType?: string
}

/** All changes of a block, in the order of the chain. */
export interface ScheduledChanges {
  readonly changes: readonly ScheduledChange[]
  readonly problems: readonly ScheduledProblem[]
}
