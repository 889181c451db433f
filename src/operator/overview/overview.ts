import type { HeightRange } from '../../platform/ranges.ts'
import type { StageState } from '../../farm/overview/farm-overview.ts'

/** An ingester or worker as the page shows it. */
export interface Stage extends StageState {
  /** Heights per second, over the last 30 s that were watched; null while too little was. */
  readonly rate: number | null
  /** Until nothing is owed at this rate but what waits for a person; null while that cannot be told. */
  readonly etaSeconds: number | null
}

export interface Drill extends HeightRange {
  readonly worker: string
  readonly reason: string | null
}

/**
 * Everything that the page shows at a glance. Heights are numbers, ranges half open, times ISO 8601 once they are
 * JSON.
 */
export interface Overview {
  /** When it was read; of before an outage while `database.isUp` is false. */
  readonly generatedAt: Date
  /** Of the program. */
  readonly version: string
  readonly chainId: string | null
  readonly head: number | null
  readonly stored: HeightRange | null
  readonly database: { readonly isUp: boolean }
  readonly queues: 'postgres' | 'redis'
  /** Ingesters first, then workers in the order of their table. */
  readonly stages: readonly Stage[]
  readonly unresolvedErrors: number
  /** Database sessions of the query service of this process that do not end. */
  readonly stuckSessions: number
  readonly failingHeights: number
  readonly unavailableHeights: number
  /** Faults that an operator set on purpose. */
  readonly drills: readonly Drill[]
}
