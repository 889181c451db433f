import type pg from 'pg'
import { pgText } from '../../platform/db/copy-writer.ts'
import { FatalError } from '../../platform/errors.ts'
import { inLockOrder } from './leases.ts'
import type { LeaseKey, LeaseStatus } from './leases.ts'

export interface ListedLease extends LeaseKey {
  readonly to: number
  readonly status: LeaseStatus
  readonly attempt: number
  readonly expiries: number
  readonly leasedBy: string | null
  readonly leaseExpiresAt: Date | null
  readonly notBefore: Date | null
  readonly error: string | null
  readonly code: string | null
  readonly stack: string | null
  readonly reason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface LeaseFilter {
  readonly workers: readonly string[]
  readonly statuses: readonly Exclude<LeaseStatus, 'done'>[]
  readonly code?: string | undefined
  readonly after?: LeaseKey | undefined
  readonly limit: number
}

export async function listLeases(
  db: pg.Pool | pg.ClientBase,
  { workers, statuses, code, after, limit }: LeaseFilter,
): Promise<ListedLease[]> {
  const { rows } = await db.query<ListedLease>({
    name: 'farm-list-leases',
    text: `
      select worker_type as worker, from_height::float8 as from, to_height::float8 as to, status, attempt, expiries,
        leased_by as "leasedBy",
        lease_expires_at as "leaseExpiresAt", not_before as "notBefore", last_error as error, last_error_code as code,
        last_error_stack as stack, reason, created_at as "createdAt", updated_at as "updatedAt"
      from app.worker_leases
      where worker_type = any ($1::text[]) and status = any ($2::text[]) and status in ('queued', 'active',
        'failed', 'flagged', 'skipped')
        and ($3::text is null or (worker_type, from_height) > ($3, $4::bigint)) and ($6::text is null or
          last_error_code = $6)
      order by worker_type, from_height
      limit $5`,
    values: [workers, statuses, after?.worker ?? null, after?.from ?? null, limit, code ?? null],
  })
  return rows
}

export async function countLeases(
  db: pg.Pool | pg.ClientBase,
  { workers, statuses, code }: Omit<LeaseFilter, 'after' | 'limit'>,
): Promise<number> {
  const { rows } = await db.query<{ count: string }>({
    name: 'farm-count-leases',
    text: `
      select count(*) from app.worker_leases
      where worker_type = any ($1::text[]) and status = any ($2::text[])
        and status in ('queued', 'active', 'failed', 'flagged', 'skipped')
        and ($3::text is null or last_error_code = $3)`,
    values: [workers, statuses, code ?? null],
  })
  return Number(rows[0]?.count ?? 0)
}

/** Ten times the number of failing leases at which a worker gets no new ones. */
const maxKeysAtOnce = 10_000

/** Does not lock the leases: callers must check their state again. */
export async function findLeaseKeys(
  db: pg.Pool | pg.ClientBase,
  worker: string,
  statuses: readonly ('failed' | 'flagged')[],
  code?: string,
): Promise<LeaseKey[]> {
  const { rows } = await db.query<LeaseKey>({
    name: 'farm-find-lease-keys',
    text: `
      select worker_type as worker, from_height::float8 as from
      from app.worker_leases
      where worker_type = $1 and status = any ($2::text[])
        and status in ('queued', 'active', 'failed', 'flagged', 'skipped')
        and ($3::text is null or last_error_code = $3)
      order by from_height
      limit ${maxKeysAtOnce}`,
    values: [worker, statuses, code ?? null],
  })
  return rows
}

/** As `chosen`. $1 workers, $2 first heights. @param columns of app.worker_leases `l` */
function lockFailingLeases(columns = 'l.worker_type, l.from_height'): string {
  return `chosen as materialized (
        select ${columns}
        from unnest($1::text[], $2::bigint[]) as k (worker_type, from_height)
        join app.worker_leases l using (worker_type, from_height)
        where l.status in ('failed', 'flagged')
        order by l.worker_type, l.from_height
        for update of l
      )`
}

function keyValues(keys: readonly LeaseKey[]): [workers: string[], from: number[]] {
  const sorted = inLockOrder(keys)
  return [sorted.map((key) => key.worker), sorted.map((key) => key.from)]
}

/**
 * flagged, failed → queued. The last error stays until an attempt succeeds.
 *
 * @returns number of leases
 */
export async function requeueLeases(db: pg.Pool | pg.ClientBase, keys: readonly LeaseKey[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'farm-requeue-leases',
    text: `
      with ${lockFailingLeases()}
      update app.worker_leases l
      set status = 'queued', attempt = 0, expiries = 0, not_before = null, enqueued_at = null, updated_at = now()
      from chosen c
      where l.worker_type = c.worker_type and l.from_height = c.from_height`,
    values: keyValues(keys),
  })
  return rowCount ?? 0
}

/**
 * flagged, failed → skipped, so that followers proceed. To undo it, reopen the range for the worker
 * and its followers.
 *
 * @returns number of leases
 *
 * @throws FatalError `skip-without-reason`
 */
export async function skipLeases(
  db: pg.Pool | pg.ClientBase,
  keys: readonly LeaseKey[],
  reason: string,
): Promise<number> {
  if (reason.trim() === '')
    throw new FatalError('skip-without-reason', 'Could not skip the range: a reason is required')
  const { rowCount } = await db.query({
    name: 'farm-skip-leases',
    text: `
      with ${lockFailingLeases()}
      update app.worker_leases l
      set status = 'skipped', reason = $3, not_before = null, updated_at = now()
      from chosen c
      where l.worker_type = c.worker_type and l.from_height = c.from_height`,
    values: [...keyValues(keys), pgText(reason.trim())],
  })
  return rowCount ?? 0
}

/** `step`: length of each of $3 pieces. */
const splitColumns = `l.worker_type, l.from_height, l.to_height, l.generation, l.last_error, l.last_error_code,
  l.last_error_stack,
          ceil((l.to_height - l.from_height) / greatest($3::numeric, 1))::bigint as step`

/**
 * flagged, failed → queued. One-block ranges are only queued.
 *
 * @returns number of leases afterwards
 */
export async function splitLeases(db: pg.Pool | pg.ClientBase, keys: readonly LeaseKey[], pieces = 2): Promise<number> {
  const { rows } = await db.query<{ count: string }>({
    name: 'farm-split-leases',
    text: `
      with ${lockFailingLeases(splitColumns)}, others as (
        insert into app.worker_leases (worker_type, from_height, to_height, generation, last_error, last_error_code,
          last_error_stack)
        select worker_type, piece, least(piece + step, to_height), generation, last_error, last_error_code,
          last_error_stack
        from chosen cross join lateral generate_series(from_height + step, to_height - 1, step) as piece
        returning 1
      ), first as (
        update app.worker_leases l
        set status = 'queued', to_height = least(l.from_height + c.step, l.to_height), attempt = 0, expiries = 0,
          not_before = null, enqueued_at = null, updated_at = now()
        from chosen c
        where l.worker_type = c.worker_type and l.from_height = c.from_height
        returning 1
      )
      select (select count(*) from others) + (select count(*) from first) as count`,
    values: [...keyValues(keys), pieces],
  })
  return Number(rows[0]?.count ?? 0)
}

/** Keeps done and skipped ones. @returns number of leases */
export async function pruneLeases(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  ageMs: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'farm-prune-leases',
    text: `
      delete from app.worker_leases
      where status in ('queued', 'active', 'failed', 'flagged') and worker_type <> all ($1::text[])
        and updated_at < now() - $2 * interval '1 ms'`,
    values: [workers, ageMs],
  })
  return rowCount ?? 0
}
