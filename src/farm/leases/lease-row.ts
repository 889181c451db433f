import type { QueuedLease } from './lease.ts'

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
