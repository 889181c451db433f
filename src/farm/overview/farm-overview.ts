import type { HeightRange } from '../../base/ranges.ts'
import type { LeaseStatus } from '../leases/lease.ts'
import type { HeightNumbers, StageHeights } from './stage-heights.ts'
import type { StagePlan } from './stage-plan.ts'

export interface LeaseCount {
  readonly leases: number
  readonly heights: number
}

/** Stored heights that a worker cannot derive, because a worker that it follows has not derived them. */
export interface Blocked {
  /** The worker that it waits for, directly or not. */
  readonly by: string
  /** `failed`: that worker has failed or flagged leases on these heights. `stalled`: they have waited for too long without. */
  readonly cause: 'failed' | 'stalled'
  readonly heights: number
  /** When the oldest unfinished lease of `by` was created; where it has none on these heights, the last progress. */
  readonly since: Date
}

/** How far one ingester or worker is, at one moment. */
export interface StageState extends StagePlan, HeightNumbers {
  readonly queued: LeaseCount
  readonly active: LeaseCount
  /** Waits for its next run. */
  readonly failed: LeaseCount
  /** Runs used up: needs a person. */
  readonly flagged: LeaseCount
  readonly skipped: LeaseCount
  /** Null where it has no such heights, and while they have not waited for long. */
  readonly blocked: Blocked | null
  /** The lease that was cut first of those that are neither done nor skipped. */
  readonly oldestUnfinished: {
    readonly from: number
    /** Exclusive. */
    readonly to: number
    readonly status: LeaseStatus
    readonly attempt: number
    readonly since: Date
  } | null
  /** When it last did anything. */
  readonly updatedAt: Date | null
}

/** The whole farm at one moment; all of it is of one snapshot of the database. */
export interface FarmOverview {
  readonly takenAt: Date
  readonly chainId: string | null
  /** Latest sealed height that an ingester heard of, else the highest stored one. */
  readonly head: number | null
  /** From the lowest to the highest stored height, `to` exclusive; holes between them are not told. */
  readonly stored: HeightRange | null
  /** In the order of the plans. */
  readonly stages: readonly StageState[]
  /** The sets of heights that the numbers are made of, by name of the stage. */
  readonly heights: ReadonlyMap<string, StageHeights>
  /** Of raw.indexing_errors; counted up to `mostErrors`. */
  readonly unresolvedErrors: number
  /** Heights that ingestion waits for, and those that were given up, whole or in part. */
  readonly failingHeights: number
  readonly unavailableHeights: number
}
