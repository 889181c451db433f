import type { HeightRange } from '../../platform/ranges.ts'

/** A lease as a job names it: the rest is read from `app.worker_leases` when it is claimed. */
interface LeaseRef {
  /** First height, which is the lease's key within its worker. */
  readonly from: number
  /** The generation that the lease had when it was queued; 0 or absent: never claimed. Only makes job ids differ. */
  readonly generation?: number
}

/** The content of a job: nothing but the names of leases, so that a queue that is lost loses no fact. */
export interface LeaseJob {
  readonly worker: string
  /** At least one; a job costs far more than an empty range, so small ranges travel together. */
  readonly leases: readonly LeaseRef[]
}

/** Works on one job. What it throws is a fault of the farm, not of a range: ranges fail in their leases. */
export type LeaseJobHandler = (job: LeaseJob) => Promise<void>

/** The consuming end of one worker's queue in this process. */
export interface QueueConsumer {
  /** Takes no more jobs; resolves when those under way are done. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** As `pause`, for good. */
  close(): Promise<void>
}

/**
 * Carries jobs to whatever process has room for them; may lose all of them at any moment, and may deliver one twice.
 * Both backends (PostgreSQL, Redis) pass the same tests.
 */
export interface WorkQueue {
  readonly backend: 'postgres' | 'redis'
  /**
   * Adds jobs in one go. A job whose leases are waiting in the queue already, in the same company and generation, is
   * not added again. Urgent ones go before all others. @throws RetryableError `queue-unavailable` when the backend does
   * not answer
   */
  add(worker: string, jobs: readonly LeaseJob[], options?: { readonly isUrgent?: boolean }): Promise<void>
  /**
   * Starts taking jobs of a worker, at most `concurrency` at a time. While the backend is away it waits in the
   * background and takes jobs from when that is back.
   */
  work(worker: string, concurrency: number, handler: LeaseJobHandler): Promise<QueueConsumer>
  /** Jobs that wait and jobs that are being worked on, in all processes. */
  counts(worker: string): Promise<{ readonly waiting: number; readonly active: number }>
  /** Closes consumers that are still open, then the connections. */
  close(): Promise<void>
}

/**
 * The id of a job, the same for the same leases as long as none of them was claimed in between (a claim gives a new,
 * higher generation). BullMQ allows neither `:` nor a bare number.
 */
export function jobId({ leases }: LeaseJob): string {
  const generation = leases.reduce((highest, lease) => Math.max(highest, lease.generation ?? 0), 0)
  return `${leases[0]?.from}-${leases.at(-1)?.from}-${leases.length}-${generation}`
}

/** More leases in a job gain little. */
const maxLeases = 32
/** A job is done by one process: more heights would keep others from taking their part. */
const maxHeights = 320

/** A lease as the coordinator offers it. */
interface PackedLease extends HeightRange {
  readonly generation: number
  /** Runs so far. */
  readonly attempt: number
}

/**
 * Puts leases into jobs, in their order: small ranges travel together, since a job costs far more than an empty
 * range. One that has failed travels alone, so that it holds up nobody when it fails again.
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
