/** Responses of the operator API. Ranges are half open, times ISO 8601 UTC. */

export interface HeightRange {
  readonly from: number
  readonly to: number
}

export interface Session {
  /** `open`: no login is required. */
  readonly access: 'open' | 'token'
  readonly isAllowed: boolean
}

export interface Count {
  readonly leases: number
  readonly heights: number
}

export type LeaseStatus = 'queued' | 'active' | 'failed' | 'flagged' | 'skipped'

export interface Stage {
  readonly name: string
  readonly kind: 'ingester' | 'worker'
  readonly description: string
  readonly phase: number
  readonly follows: readonly string[]
  readonly isEnabled: boolean
  readonly covered: number
  /** Heights whose input is available. */
  readonly available: number
  readonly owed: number
  readonly queued: Count
  readonly active: Count
  readonly failed: Count
  readonly flagged: Count
  readonly skipped: Count
  /** Heights per second. */
  readonly rate: number | null
  readonly etaSeconds: number | null
  readonly lowest: number | null
  readonly highest: number | null
  readonly holes: number
  /** Stored heights that wait for an upstream worker that failed or stalled. */
  readonly blocked: {
    readonly by: string
    readonly cause: 'failed' | 'stalled'
    readonly heights: number
    readonly since: string
  } | null
  readonly oldestUnfinished:
    | (HeightRange & { readonly status: string; readonly attempt: number; readonly since: string })
    | null
  readonly updatedAt: string | null
}

export interface Drill extends HeightRange {
  readonly worker: string
  readonly reason: string | null
}

export interface Overview {
  readonly generatedAt: string
  readonly version: string
  readonly chainId: string | null
  readonly head: number | null
  readonly stored: HeightRange | null
  readonly database: { readonly isUp: boolean }
  readonly queues: 'postgres' | 'redis'
  readonly stages: readonly Stage[]
  readonly unresolvedErrors: number
  readonly stuckSessions: number
  readonly failingHeights: number
  readonly unavailableHeights: number
  readonly drills: readonly Drill[]
}

export interface Coverage extends HeightRange {
  readonly cells: number
  readonly stages: readonly CoverageLane[]
}

/** Shares from 0 to 1 per cell, low heights first. */
export interface CoverageLane {
  readonly name: string
  readonly done: readonly number[]
  readonly active: readonly number[]
  readonly failing: readonly number[]
  readonly skipped: readonly number[]
}

export interface Lease extends HeightRange {
  readonly worker: string
  readonly status: LeaseStatus
  readonly attempt: number
  readonly expiries: number
  readonly leasedBy: string | null
  readonly leaseExpiresAt: string | null
  readonly notBefore: string | null
  readonly error: string | null
  readonly code: string | null
  readonly stack: string | null
  readonly reason: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface IndexingError {
  readonly id: number
  readonly worker: string
  readonly height: number
  /** -1 if the error concerns the block. */
  readonly txIndex: number
  /** -1 if the error concerns the transaction. */
  readonly eventIndex: number
  readonly code: string
  readonly message: string
  readonly eventType: string | null
  readonly occurrences: number
  readonly firstSeenAt: string
  readonly lastSeenAt: string
}

/** A height that ingestion waits for, or that is marked unavailable. */
export interface FailingHeight {
  readonly height: number
  readonly state: 'failing' | 'skipping' | 'unavailable'
  /** Missing part; null while the height is failing. */
  readonly part: string | null
  readonly reason: string
  readonly since: string
  readonly count: number
}

export interface FailingHeights {
  readonly heights: readonly FailingHeight[]
  readonly failing: number
  readonly unavailable: number
}

export interface Page<Item> {
  readonly data: readonly Item[]
  readonly has_more: boolean
  /** Empty on the last page. */
  readonly cursor: string
  readonly total: number
}

/** Selected leases, or all failing leases of a worker, optionally with one error code. */
export type LeaseTarget =
  | { readonly leases: readonly { readonly worker: string; readonly from: number }[] }
  | { readonly all: { readonly worker: string; readonly statuses: readonly LeaseStatus[]; readonly code?: string } }
