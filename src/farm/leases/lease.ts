/**
 * A lease: a range of heights that one worker has to do, and who is at it. One row of `app.worker_leases`; the leases
 * of a worker never overlap.
 *
 *                                 release (clean stop, not a run)
 *              ┌──────────────────────────────────────────────────────────┐
 *              ▼                                                          │
 *     cut ──► queued ──claim (run + 1)──► active ──complete──► done ──fold──► gone, now in the worker's coverage
 *              ▲ ▲                          │ │
 *              │ └──first expiry, at once───┘ └──fail, or expires again───┐
 *              │                                                          ▼
 *              ├──not_before has come──── failed ◄──runs left──── (longer than a block: halved)
 *              │                            │                             │
 *              │                            │                  runs used up▼
 *              └──requeue, split (a person)─┴──────────────────────────flagged
 *                                           └──skip (a person, with a reason)──► skipped
 *
 * - Every claim is a run and takes a new generation. Whatever ends a run names worker, range and generation and must
 *   find the lease active: so a claim that was taken away can neither commit nor report.
 * - A run that its process did not survive is a run too, or a range that kills its process would be tried for ever. The
 *   first expiry is held to be the process's fault and is queued at once; from the second on the lease waits like
 *   after a failure, so that it parts from the innocent ranges that ran beside it when the process died.
 * - From its second failure on a range longer than a block is halved, so that a bad block ends alone and the rest is
 *   done: as long as the worker has other ranges done or few that fail (`RetryPolicy`), since halving does not help a
 *   broken worker. Both halves inherit the count of runs: no height is ever run more than `maxRuns` times before a
 *   person looks at it.
 * - `skipped` counts as covered for the workers that follow and for nobody else, and stays listed.
 * - A rollback deletes leases, in whatever state they are.
 */
export type LeaseStatus = 'queued' | 'active' | 'done' | 'failed' | 'flagged' | 'skipped'

/** Names a lease whatever its state. */
export interface LeaseKey {
  /** Name of the worker. */
  readonly worker: string
  /** First height. */
  readonly from: number
}

/**
 * Names one claim of a lease. The range is part of it: claims are committed asynchronously, so a crash of the server
 * may undo some and give their generations out again, for leases that begin at the same height and end elsewhere.
 */
export interface LeaseClaim extends LeaseKey {
  /** End of the range, exclusive. */
  readonly to: number
  readonly generation: number
}

/** A lease that waits for a process to claim it. */
export interface QueuedLease extends LeaseKey {
  /** End of the range, exclusive. */
  readonly to: number
  /** The last claim, 0 before the first: tells a lease that was queued anew from its earlier self. */
  readonly generation: number
  /** Runs so far. More than 0: better run alone, since it may fail again. */
  readonly attempt: number
}

/** A lease that this process works on. */
export interface ClaimedLease extends LeaseClaim {
  /** Runs so far, this one included. */
  readonly attempt: number
  /** Where it was claimed, as `databaseIdentity` gives it. */
  readonly database?: string
}

/** How a run ended that did not complete. */
export interface EndedRun extends LeaseKey {
  /** End of what is left under this key: where the lease was halved, the lower half's. */
  readonly to: number
  readonly status: 'queued' | 'failed' | 'flagged'
  readonly attempt: number
  readonly isHalved: boolean
}

/** Ascending by worker and height: the order in which every statement locks the rows of leases, so none wait crosswise. */
export function inLockOrder<T extends LeaseKey>(leases: readonly T[]): T[] {
  return [...leases].sort((a, b) => (a.worker < b.worker ? -1 : a.worker > b.worker ? 1 : a.from - b.from))
}

/** A lease as the statements return it; PostgreSQL's bigint comes as text. */
export interface LeaseRow {
  readonly worker_type: string
  readonly from_height: string
  readonly to_height: string
  readonly generation: string
  readonly attempt: number
}

/** The columns of a `LeaseRow` of `l`, for `returning`. */
export const leaseColumns = 'l.worker_type, l.from_height, l.to_height, l.generation, l.attempt'

export function asLease(row: LeaseRow): QueuedLease {
  return {
    worker: row.worker_type,
    from: Number(row.from_height),
    to: Number(row.to_height),
    generation: Number(row.generation),
    attempt: row.attempt,
  }
}

/** When a range that failed is tried again. */
export interface RetryPolicy {
  /** Runs of a height before it is flagged. */
  readonly maxRuns: number
  /** Longest pause after the first failed run, in milliseconds; doubles with each. The pause is from half of it up, at random. */
  readonly baseMs: number
  /** Longest pause, in milliseconds. */
  readonly capMs: number
  /** A range longer than one block is halved when this many runs of it have failed, within the two limits below. */
  readonly halveAfterRuns: number
  /**
   * A worker with so many failing ranges of several blocks has none halved unless another of its ranges was done since:
   * the worker is broken, not the ranges. Below it the halves themselves show whether the worker works, also where it
   * has nothing else to do.
   */
  readonly maxFailingUnproven: number
  /** A worker with so many failing ranges has none halved. */
  readonly maxFailing: number
}

/** The first run and 20 retries; the retries of a block that always fails take some 55 minutes. */
export const defaultRetryPolicy: RetryPolicy = {
  maxRuns: 21,
  baseMs: 1000,
  capMs: 300_000,
  halveAfterRuns: 2,
  maxFailingUnproven: 8,
  maxFailing: 1000,
}
