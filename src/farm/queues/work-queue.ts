import type { HeightRange } from '../../platform/ranges.ts'

/** The rest is read from `app.worker_leases` by the claim. */
interface LeaseRef {
  /** The lease's key within its worker. */
  readonly from: number
  /** When it was queued; 0 or absent: never claimed. Only makes job ids unique. */
  readonly generation?: number
}

/** References only, so that a lost queue loses no data. */
export interface LeaseJob {
  readonly worker: string
  /** At least one. */
  readonly leases: readonly LeaseRef[]
}

/** Throws only for faults of the farm; failed ranges are recorded in their leases. */
export type LeaseJobHandler = (job: LeaseJob) => Promise<void>

export interface QueueConsumer {
  /** Resolves when running jobs are done. */
  pause(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

/** Delivers jobs at least once, but may lose all of them at any time. */
export interface WorkQueue {
  readonly backend: 'postgres' | 'redis'
  /**
   * Ignores a job with the same leases and generations as a waiting one.
   *
   * @throws RetryableError `queue-unavailable`
   */
  add(worker: string, jobs: readonly LeaseJob[], options?: { readonly isUrgent?: boolean }): Promise<void>
  /** While the backend is down it waits in the background. */
  work(worker: string, concurrency: number, handler: LeaseJobHandler): Promise<QueueConsumer>
  counts(worker: string): Promise<{ readonly waiting: number; readonly active: number }>
  /** Closes open consumers first. */
  close(): Promise<void>
}

/** Changes when a lease is claimed. BullMQ allows neither `:` nor a bare number. */
export function jobId({ leases }: LeaseJob): string {
  const generation = leases.reduce((highest, lease) => Math.max(highest, lease.generation ?? 0), 0)
  return `${leases[0]?.from}-${leases.at(-1)?.from}-${leases.length}-${generation}`
}

/** Maximum leases in a job; more gain little. */
const maxLeases = 32
const maxHeights = 320

interface PackedLease extends HeightRange {
  readonly generation: number
  readonly attempt: number
}

/**
 * Small ranges share a job, which costs far more than an empty range. A lease that failed before
 * gets its own job.
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
      last.leases.length < maxLeases &&
      heights + to - from <= maxHeights
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
