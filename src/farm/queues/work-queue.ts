import { createHash } from 'node:crypto'
import type { HeightRange } from '../../platform/ranges.ts'

/** New blocks never wait for history: each has its own queue and its own consumers. */
export type QueueName = 'live' | 'history'

export const queueNames: readonly QueueName[] = ['live', 'history']

/**
 * Ranges of blocks that all `workers` derive, each under its own lease. References only: the claims
 * read the rest from `app.worker_leases`, so that a lost queue loses no data.
 */
export interface RangeJob {
  readonly workers: readonly string[]
  /** First heights, which identify the leases of a worker. At least one. */
  readonly starts: readonly number[]
  /** The highest of the leases; 0: never claimed. Only makes job ids unique. */
  readonly generation: number
}

/** Throws only for faults of the farm; failed ranges are recorded in their leases. */
export type RangeJobHandler = (job: RangeJob) => Promise<void>

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
  add(queue: string, jobs: readonly RangeJob[]): Promise<void>
  /** While the backend is down it waits in the background. */
  work(queue: string, concurrency: number, handler: RangeJobHandler): Promise<QueueConsumer>
  counts(queue: string): Promise<{ readonly waiting: number; readonly active: number }>
  /** Closes open consumers first. */
  close(): Promise<void>
}

/** Changes when a lease is claimed. BullMQ allows neither `:` nor a bare number. */
export function jobId(job: RangeJob): string {
  const { workers, starts, generation } = job
  const digest = createHash('sha1')
    .update(JSON.stringify([workers, starts]))
    .digest('base64url')
  return `${starts[0]}-${generation}-${digest.slice(0, 12)}`
}

/** Limits of a job of several ranges. */
const maxStarts = 32
const maxHeights = 320

interface PackedLease extends HeightRange {
  readonly worker: string
  readonly generation: number
  readonly attempt: number
}

/**
 * A job for each range that workers share. Small new ranges of the same workers share a job, because
 * a commit costs more than a few blocks. A range that failed once is tried again by itself; after
 * that each worker has its own job, so that one that ends its process does not fail the others.
 */
export function packLeases(leases: readonly PackedLease[]): RangeJob[] {
  const shared = Map.groupBy(leases, ({ worker, from, to, attempt }) =>
    attempt > 1 ? `${worker} ${from}` : `${from}-${to} ${attempt}`,
  )
  const jobs: { workers: readonly string[]; starts: number[]; generation: number; heights: number }[] = []
  const open = new Map<string, (typeof jobs)[number]>()
  for (const [first, ...others] of shared.values()) {
    if (first === undefined) continue
    const workers = [first, ...others].map(({ worker }) => worker)
    const generation = Math.max(first.generation, ...others.map((lease) => lease.generation))
    const heights = first.to - first.from
    const last = first.attempt === 0 ? open.get(workers.join()) : undefined
    if (last !== undefined && last.starts.length < maxStarts && last.heights + heights <= maxHeights) {
      last.starts.push(first.from)
      last.heights += heights
      last.generation = Math.max(last.generation, generation)
    } else {
      const job = { workers, starts: [first.from], generation, heights }
      jobs.push(job)
      if (first.attempt === 0) open.set(workers.join(), job)
    }
  }
  return jobs.map(({ workers, starts, generation }) => ({ workers, starts, generation }))
}

/** @throws RetryableError `queue-unavailable` */
export async function enqueueLeases(
  queue: WorkQueue,
  leases: readonly (PackedLease & { readonly isLive: boolean })[],
): Promise<void> {
  const live = leases.filter(({ isLive }) => isLive)
  const history = leases.filter(({ isLive }) => !isLive)
  await queue.add('live', packLeases(live))
  await queue.add('history', packLeases(history))
}
