import type { HeightRange } from '../../base/ranges.ts'
import type { LeaseStatus } from '../leases/lease.ts'
import type { HeightNumbers, StageHeights } from './stage-heights.ts'
import type { StagePlan } from './stage-plan.ts'

export interface LeaseCount {
  readonly leases: number
  readonly heights: number
}

/** How far one ingester or worker is, at one moment. */
export interface Blocked {
  /** The worker that failed. */
  readonly by: string
  /** Stored heights that wait for it. */
  readonly heights: number
  /** When its oldest failed lease was created. */
  readonly since: Date
}

export interface StageState extends StagePlan, HeightNumbers {
  readonly queued: LeaseCount
  readonly active: LeaseCount
  /** Waits for its next run. */
  readonly failed: LeaseCount
  /** Runs used up: needs a person. */
  readonly flagged: LeaseCount
  readonly skipped: LeaseCount
  /** The lease that was cut first of those that are neither done nor skipped. */
  /** Set where a worker that it follows, directly or not, has failed on heights: those are neither done nor available to it. */
  readonly blocked: Blocked | null
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
