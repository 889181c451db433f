import type { HeightRange } from '../../base/ranges.ts'

/** A fault set on purpose: every range of the worker that meets these heights fails. A worker has at most one. */
export interface FaultDrill extends HeightRange {
  /** As in `app.worker_leases.worker_type`. */
  readonly worker: string
  /** What for. */
  readonly reason: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/** Heard by every process of the farm: a drill was set or cleared. */
export const drillsChannel = 'flowfarm_drills'
