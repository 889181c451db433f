import type pg from 'pg'
import { toMultirange } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'
import { completeLeasesText } from './leases/leases.ts'
import type { LeaseClaim, LeaseStatus } from './leases/leases.ts'

export interface StoredLease {
  readonly worker: string
  readonly from: number
  readonly to: number
  readonly status: LeaseStatus
  readonly attempt: number
  readonly expiries: number
  readonly generation: number
  readonly reason: string | null
  readonly code: string | null
  readonly error: string | null
  /** Time until the next attempt, ms; null if none is set. */
  readonly pauseMs: number | null
}

export async function setCoverage(db: pg.Pool, coverage: Readonly<Record<string, HeightSet>>): Promise<void> {
  await db.query(
    `insert into app.indexing_checkpoints (service_name, covered) select * from unnest($1::text[], $2::int8multirange[])
     on conflict (service_name) do update set covered = excluded.covered`,
    [Object.keys(coverage), Object.values(coverage).map(toMultirange)],
  )
}

export async function addLeases(
  db: pg.Pool,
  leases: readonly { worker: string; from: number; to: number; status?: LeaseStatus; attempt?: number }[],
): Promise<void> {
  await db.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, status, attempt, not_before)
     select w, f, t, s, a, case when s = 'failed' then now() end
     from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::integer[]) as l (w, f, t, s, a)`,
    [
      leases.map((l) => l.worker),
      leases.map((l) => l.from),
      leases.map((l) => l.to),
      leases.map((l) => l.status ?? 'queued'),
      leases.map((l) => l.attempt ?? 0),
    ],
  )
}

/** @returns number of leases that were still held */
export async function completeClaims(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<number> {
  return claims.length === 0 ? 0 : ((await db.query(completeLeasesText(claims))).rowCount ?? 0)
}

export async function storedLeases(db: pg.Pool): Promise<StoredLease[]> {
  const { rows } = await db.query<StoredLease>(
    `select worker_type as worker, from_height::float8 as from, to_height::float8 as to, status, attempt, expiries,
       generation::float8 as generation, reason, last_error_code as code, last_error as error,
       extract(epoch from not_before - updated_at)::float8 * 1000 as "pauseMs"
     from app.worker_leases order by worker_type, from_height`,
  )
  return rows
}

/** `worker from-to status`, one line per lease. */
export async function leaseLines(db: pg.Pool): Promise<string[]> {
  return (await storedLeases(db)).map((lease) => `${lease.worker} ${lease.from}-${lease.to} ${lease.status}`)
}

export async function clearFarm(db: pg.Pool): Promise<void> {
  await db.query('truncate app.worker_leases, app.indexing_checkpoints, app.backfill_requests')
}
