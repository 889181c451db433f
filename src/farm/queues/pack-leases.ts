import type { HeightRange } from '../../base/ranges.ts'
import type { LeaseJob } from './work-queue.ts'

/** More leases in a job gain little. */
const mostLeases = 32
/** A job is done by one process: more heights would keep others from taking their part. */
const mostHeights = 320

/** A lease as the coordinator offers it. */
export interface PackedLease extends HeightRange {
  readonly generation: number
  /** Runs so far. */
  readonly attempt: number
}

/**
 * Puts leases into jobs, in their order: small ranges travel together, since a job costs far more than an empty range. One
 * that has failed travels alone, so that it holds up nobody when it fails again.
 */
export function packLeases(worker: string, leases: readonly PackedLease[]): LeaseJob[] {
  const jobs: { worker: string; leases: { from: number; generation: number }[] }[] = []
  let heights = 0
  let isOpen = false
  for (const { from, to, generation, attempt } of leases) {
    const last = jobs.at(-1)
    const fits =
      isOpen &&
      attempt === 0 &&
      last !== undefined &&
      last.leases.length < mostLeases &&
      heights + to - from <= mostHeights
    if (fits) last.leases.push({ from, generation })
    else {
      jobs.push({ worker, leases: [{ from, generation }] })
      heights = 0
    }
    heights += to - from
    isOpen = attempt === 0
  }
  return jobs
}
