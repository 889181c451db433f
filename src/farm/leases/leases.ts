import type pg from 'pg'
import { databaseIdentity, retryConflicts, rollBack } from '../../platform/db/pool.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { escapeLiteral } from 'pg'
import { pgText } from '../../platform/db/copy-writer.ts'
import { asError, FlowfarmError, RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'

/**
 * A lease assigns a range of heights to one worker: a row of `app.worker_leases`. Leases of a
 * worker never overlap.
 *
 *                             release (clean stop, not an attempt)
 *          ┌──────────────────────────────────────────────────────────┐
 *          ▼                                                          │
 *     ──► queued ──claim (attempt + 1)──► active ──complete──► done ──fold──► deleted
 *          ▲ ▲                              │ │
 *          │ └──first expiry, at once───────┘ └──fail, or later expiry───┐
 *          │                                                             ▼
 *          ├──not_before reached──── failed ◄──attempts left──── (longer than a block: halved)
 *          │                            │                             │
 *          │                            │            attempts exhausted▼
 *          └──requeue, split (operator)─┴──────────────────────────flagged
 *                                       └──skip (operator)──► skipped
 *
 * - A claim takes a new generation. Ending an attempt requires worker, range and generation of an
 *   active lease, so a revoked claim can neither commit nor report.
 * - An expiry counts as an attempt, or a range that kills its process would be retried forever. The
 *   first expiry requeues at once; later ones wait as after a failure, which separates the lease
 *   from healthy ranges of the same process.
 * - From its second failure a range longer than a block is halved to isolate a bad block, unless
 *   the worker itself is failing (`RetryPolicy`). Halves inherit the attempt count.
 * - Own workers claim failed leases directly once they are due.
 * - `skipped` counts as covered for followers only. A rollback deletes leases in any state.
 */
export type LeaseStatus = 'queued' | 'active' | 'done' | 'failed' | 'flagged' | 'skipped'

export interface LeaseKey {
  readonly worker: string
  readonly from: number
}

/**
 * Includes the range, because claims are committed asynchronously: after a server crash a
 * generation can be reused for another range.
 */
export interface LeaseClaim extends LeaseKey {
  /** Exclusive. */
  readonly to: number
  readonly generation: number
}

export interface QueuedLease extends LeaseKey {
  /** Exclusive. */
  readonly to: number
  readonly generation: number
  /** Above 1 the lease runs alone, because it may crash its process again. */
  readonly attempt: number
}

export interface ClaimedLease extends LeaseClaim {
  readonly attempt: number
  /** `databaseIdentity` of the claim. */
  readonly database?: string
}

export interface EndedAttempt extends LeaseKey {
  /** For a halved lease, the end of the lower half. */
  readonly to: number
  readonly status: 'queued' | 'failed' | 'flagged'
  readonly attempt: number
  readonly isHalved: boolean
}

/** Lock order of lease rows, to avoid deadlocks. */
export function inLockOrder<T extends LeaseKey>(leases: readonly T[]): T[] {
  return [...leases].sort((a, b) => (a.worker < b.worker ? -1 : a.worker > b.worker ? 1 : a.from - b.from))
}

/** PostgreSQL's bigint arrives as text. */
export interface LeaseRow {
  readonly worker_type: string
  readonly from_height: string
  readonly to_height: string
  readonly generation: string
  readonly attempt: number
}

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

/** Failed and flagged leases above which the worker itself is failing and gets no new ones. */
export const maxFailing = 1000

export interface RetryPolicy {
  readonly maxRuns: number
  /** Pause after the first failure, ms; doubles each time. The actual pause is random, at least half of it. */
  readonly baseMs: number
  readonly capMs: number
  /** Failed attempts after which a range is halved, within the two limits below. */
  readonly halveAfterRuns: number
  /**
   * Failing ranges of several blocks above which none is halved unless another range was done
   * since: the worker is failing, not the ranges.
   */
  readonly maxFailingUnproven: number
  readonly maxFailing: number
}

/** 21 attempts; the retries of a block that always fails take about 55 minutes. */
export const defaultRetryPolicy: RetryPolicy = {
  maxRuns: 21,
  baseMs: 1000,
  capMs: 300_000,
  halveAfterRuns: 2,
  maxFailingUnproven: 8,
  maxFailing: 1000,
}

/**
 * queued → active. Concurrent callers can deadlock, because without statistics the planner may not
 * lock rows in key order: the loser must retry, so do not call it within a transaction. A locking
 * subquery would cost half as much again.
 */
export async function claimLeases(
  db: pg.Pool | pg.ClientBase,
  keys: readonly LeaseKey[],
  by: { leasedBy: string; leaseMs: number },
): Promise<ClaimedLease[]> {
  const sorted = inLockOrder(keys)
  const query = {
    name: 'farm-claim-leases',
    text: `
      update app.worker_leases l
      set status = 'active', generation = nextval('app.lease_generation'), attempt = l.attempt + 1, leased_by = $3,
        lease_expires_at = now() + $4 * interval '1 ms', not_before = null, updated_at = now()
      from unnest($1::text[], $2::bigint[]) as k (worker_type, from_height)
      where l.worker_type = k.worker_type and l.from_height = k.from_height and l.status = 'queued'
      returning ${leaseColumns}, (${databaseIdentity}) as database`,
    values: [sorted.map((key) => key.worker), sorted.map((key) => key.from), by.leasedBy, by.leaseMs],
  }
  const { rows } = await retryConflicts(() =>
    db.query<LeaseRow & { readonly database: string }>(query).catch((thrown: unknown) => {
      throw asDatabaseError(thrown)
    }),
  )
  return rows.map((row) => ({ ...asLease(row), database: row.database }))
}

/**
 * Leases new blocks at the head to all workers and claims them, without the coordinator. Leases
 * nothing unless the range ends at the newest block and all workers owe it: the coordinator plans
 * it then.
 */
export async function leaseHead(
  pool: pg.Pool,
  workers: readonly string[],
  { from, to }: HeightRange,
  by: { leasedBy: string; leaseMs: number },
): Promise<ClaimedLease[]> {
  const names = `array[${workers.map(escapeLiteral).join()}]`
  const [low, high] = [BigInt(from), BigInt(to)]
  // Statements of a simple query have separate snapshots: the second sees what the lock waited for.
  const text = `
    begin;
    select 1 from app.indexing_checkpoints where service_name = any (${names}) order by service_name
      for no key update;
    with free as materialized (
      select c.service_name
      from app.indexing_checkpoints c
      where c.service_name = any (${names}) and not c.covered && int8range(${low}, ${high})
        and coalesce((select l.to_height from app.worker_leases l
          where l.worker_type = c.service_name and l.from_height < ${high} order by l.from_height desc limit 1), 0)
          <= ${low}
        and (select count(*) from (select from app.worker_leases l where l.worker_type = c.service_name
          and l.status in ('failed', 'flagged') limit ${maxFailing}) f) < ${maxFailing}
    )
    insert into app.worker_leases as l (worker_type, from_height, to_height, status, generation, attempt, leased_by,
      lease_expires_at)
    select service_name, ${low}, ${high}, 'active', nextval('app.lease_generation'), 1, ${escapeLiteral(by.leasedBy)},
      now() + ${by.leaseMs} * interval '1 ms'
    from free
    where (select count(*) from free) = ${workers.length} and exists (
      select from app.indexing_checkpoints
      where service_name = 'main_ingester' and upper(covered) = ${high} and covered @> int8range(${low}, ${high})
    )
    returning ${leaseColumns}, (${databaseIdentity}) as database;
    commit`
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const results: unknown = await client.query(text)
    const inserted = (results as pg.QueryResult<LeaseRow & { readonly database: string }>[])[2]
    return (inserted?.rows ?? []).map((row) => ({ ...asLease(row), database: row.database }))
  } catch (error) {
    broken = await rollBack(client, error)
    throw asDatabaseError(error)
  } finally {
    client.release(broken)
  }
}

/**
 * Skips locked rows, which are being committed.
 *
 * @returns revoked claims, whose work must stop, and claims that this process has just committed
 */
export async function heartbeatLeases(
  db: pg.Pool | pg.ClientBase,
  claims: readonly LeaseClaim[],
  leaseMs: number,
): Promise<LeaseClaim[]> {
  const sorted = inLockOrder(claims)
  const { rows } = await db.query<{ position: string }>({
    name: 'farm-heartbeat-leases',
    text: `
      with mine as materialized (
        select m.position, m.generation = l.generation and m.to_height = l.to_height and l.status = 'active' as
          is_held, 
          l.worker_type, l.from_height, l.to_height, l.generation, l.lease_expires_at
        from unnest($1::text[], $2::bigint[], $3::bigint[], $5::bigint[]) with ordinality
          as m (worker_type, from_height, generation, to_height, position)
        left join app.worker_leases l on l.worker_type = m.worker_type and l.from_height = m.from_height
      ), due as materialized (
        select l.worker_type, l.from_height
        from mine m join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where m.is_held and m.lease_expires_at < now() + $4 * interval '0.75 ms' and l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l skip locked
      ), renewed as (
        update app.worker_leases l
        set lease_expires_at = now() + $4 * interval '1 ms', updated_at = now()
        from due d where l.worker_type = d.worker_type and l.from_height = d.from_height
      )
      select position from mine where is_held is not true order by position`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.generation),
      leaseMs,
      sorted.map((c) => c.to),
    ],
  })
  return rows.map((row) => sorted[Number(row.position) - 1] as LeaseClaim)
}

const completed = `
      set status = 'done', leased_by = null, lease_expires_at = null, last_error = null, last_error_code = null,
        last_error_stack = null, updated_at = now()`

/**
 * To share a round trip. Run it as the commit's first statement: the rows stay locked until COMMIT.
 * Changes one row for each lease that is still held.
 */
export function completeLeasesText(claims: readonly LeaseClaim[]): string {
  const sorted = inLockOrder(claims)
  const integers = (values: readonly number[]): string => `'{${values.map((value) => BigInt(value)).join()}}'::bigint[]`
  return `
      with held as materialized (
        select l.worker_type, l.from_height
        from unnest(array[${sorted.map((c) => escapeLiteral(c.worker)).join()}],
          ${integers(sorted.map((c) => c.from))}, ${integers(sorted.map((c) => c.to))},
          ${integers(sorted.map((c) => c.generation))}) as k (worker_type, from_height, to_height, generation)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      )
      update app.worker_leases l ${completed}
      from held h where l.worker_type = h.worker_type and l.from_height = h.from_height`
}

interface FailedRun extends LeaseClaim {
  readonly error: unknown
}

const maxText = 10_000

/**
 * active → failed or flagged. A RetryableError is not the range's fault: the range is never halved;
 * if it only waited, the attempt does not count.
 *
 * @returns the new state of the leases still held
 */
export async function failLeases(
  db: pg.Pool | pg.ClientBase,
  runs: readonly FailedRun[],
  policy = defaultRetryPolicy,
): Promise<EndedAttempt[]> {
  const sorted = inLockOrder(runs)
  const errors = sorted.map((run) => asError(run.error))
  const { rows } = await db.query<EndedRow>({
    name: 'farm-fail-leases',
    text: `
      with ended as materialized (
        select ${endedColumns}, false as is_expiry, true as may_wait, k.may_halve, k.is_counted, k.error, k.code,
          k.stack
        from unnest(
          $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::text[], $7::text[], $8::text[],
            $9::boolean[])
          as k (worker_type, from_height, to_height, generation, may_halve, error, code, stack, is_counted)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      ), ${endRuns(10)}`,
    values: [
      sorted.map((run) => run.worker),
      sorted.map((run) => run.from),
      sorted.map((run) => run.to),
      sorted.map((run) => run.generation),
      errors.map((error) => !(error instanceof RetryableError)),
      errors.map((error) => stored(error.message)),
      errors.map(codeOf),
      errors.map((error) => (error.stack === undefined ? null : stored(error.stack))),
      errors.map(isCounted),
      ...endRunsValues(policy),
    ],
  })
  return rows.map(asEndedRun)
}

/** The range only waited, for a connection or a lock. Retried without limit. */
const waitingCodes: ReadonlySet<string> = new Set([
  'database-unreachable',
  'database-starting',
  'too-many-connections',
  'lock-not-available',
])

function isCounted(error: Error): boolean {
  return !(error instanceof RetryableError && waitingCodes.has(error.code))
}

function codeOf(error: Error): string {
  return error instanceof FlowfarmError ? error.code : pgText(error.name)
}

function stored(text: string): string {
  return pgText(text.slice(0, maxText))
}

/** active → queued, for claims released by a stopping process. @returns number of leases */
export async function releaseLeases(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<number> {
  const sorted = inLockOrder(claims)
  const { rowCount } = await db.query({
    name: 'farm-release-leases',
    text: `
      with held as materialized (
        select l.worker_type, l.from_height
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as k (worker_type, from_height, to_height,
          generation)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      )
      update app.worker_leases l
      set status = 'queued', attempt = l.attempt - 1, leased_by = null, lease_expires_at = null, enqueued_at = null,
        updated_at = now()
      from held h
      where l.worker_type = h.worker_type and l.from_height = h.from_height`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
    ],
  })
  return rowCount ?? 0
}

/**
 * Ends the claims at `to`; the heights above are queued for any process.
 *
 * @returns the claims that are still held
 */
export async function shortenLeases(
  db: pg.Pool | pg.ClientBase,
  claims: readonly ClaimedLease[],
  to: number,
): Promise<ClaimedLease[]> {
  const sorted = inLockOrder(claims)
  const { rows } = await db.query<{ position: string }>({
    name: 'farm-shorten-leases',
    text: `
      with held as materialized (
        select k.position, l.*
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) with ordinality
          as k (worker_type, from_height, to_height, generation, position)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      ), rest as (
        insert into app.worker_leases (worker_type, from_height, to_height, generation, attempt, expiries)
        select worker_type, $5, to_height, generation, attempt - 1, expiries from held
      )
      update app.worker_leases l set to_height = $5, updated_at = now()
      from held h where l.worker_type = h.worker_type and l.from_height = h.from_height
      returning h.position`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
      to,
    ],
  })
  return rows.map(({ position }) => ({ ...(sorted[Number(position) - 1] as ClaimedLease), to }))
}

/**
 * active → deleted, for leases of followers whose followed workers have not done the range: they
 * are planned again when those have.
 */
export async function returnLeases(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<void> {
  const sorted = inLockOrder(claims)
  await db.query({
    name: 'farm-return-leases',
    text: `
      delete from app.worker_leases l
      using unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as k (worker_type, from_height, to_height,
        generation)
      where l.worker_type = k.worker_type and l.from_height = k.from_height and l.to_height = k.to_height
        and l.generation = k.generation and l.status = 'active'`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
    ],
  })
}

interface Reaped {
  readonly runs: readonly EndedAttempt[]
  readonly queued: readonly QueuedLease[]
}

const maxReapedAtOnce = 1000

/**
 * active → queued, failed or flagged, for expired leases. Skips locked rows, which are being
 * committed.
 */
export async function reapLeases(db: pg.Pool | pg.ClientBase, policy = defaultRetryPolicy): Promise<Reaped> {
  const { rows } = await db.query<EndedRow>({
    name: 'farm-reap-leases',
    text: `
      with ended as materialized (
        select ${endedColumns}, true as is_expiry, l.expiries > 0 as may_wait, l.expiries > 0 as may_halve, true as
          is_counted,
          format('%s did not renew the lease in time', l.leased_by) as error, 'lease-expired' as code, null as stack
        from app.worker_leases l
        where l.status = 'active' and l.lease_expires_at < now()
        order by l.lease_expires_at
        limit ${maxReapedAtOnce}
        for update of l skip locked
      ), ${endRuns(1)}`,
    values: endRunsValues(policy),
  })
  return { runs: rows.map(asEndedRun), queued: rows.filter((row) => row.status === 'queued').map(asLease) }
}

interface EndedRow extends LeaseRow {
  readonly status: 'queued' | 'failed' | 'flagged'
  readonly is_halved: boolean
}

/** Columns of the CTE `ended`, from leases `l`. */
const endedColumns = 'l.worker_type, l.from_height, l.to_height, l.generation, l.attempt, l.failed_at'

/** Newest done leases considered. Older ones are folded, unless no process coordinates. */
const maxUnfolded = 200

/**
 * active → queued, failed or flagged, halved if that helps. Follows a CTE `ended` with the locked
 * rows: `endedColumns`, is_expiry, may_wait (false: queue at once), may_halve, is_counted (false:
 * not an attempt), error, code, stack. `p` is the position of the first parameter of
 * `endRunsValues`.
 *
 * Failing leases are counted before any is halved here: the n-th candidate counts n more.
 */
function endRuns(p: number): string {
  return `
    health as materialized (
      select w.worker_type, c.succeeded_at, d.done_at, f.failing, f.failing_ranges
      from (select distinct worker_type from ended) w
      left join app.indexing_checkpoints c on c.service_name = w.worker_type
      cross join lateral (
        select count(*) as failing, count(*) filter (where f.blocks > 1) as failing_ranges from (
          select f.to_height - f.from_height as blocks from app.worker_leases f
          where f.worker_type = w.worker_type and f.status in ('queued', 'active', 'failed', 'flagged')
            and f.last_error is not null
          order by f.worker_type, f.status, f.from_height limit $${p + 5}::integer
        ) f
      ) f
      cross join lateral (
        select max(d.updated_at) as done_at from (
          select d.updated_at from app.worker_leases d where d.worker_type = w.worker_type and d.status = 'done'
          order by d.worker_type, d.from_height desc limit ${maxUnfolded}
        ) d
      ) d
    ), candidates as materialized (
      select e.worker_type, e.from_height, h.failing + e.added as failing, h.failing_ranges + e.added as failing_ranges,
        coalesce(greatest(h.succeeded_at, h.done_at) > e.failed_at, false) as is_proven
      from (
        select *, row_number() over (partition by worker_type) as added from ended
        where may_halve and attempt >= $${p + 3}::integer and to_height - from_height > 1
      ) e join health h using (worker_type)
    ), judged as materialized (
      select e.*, v.status, case when v.is_halved then (e.from_height + e.to_height) / 2 end as middle,
        case when v.status = 'failed' then now() + (0.5 + random() / 2) * interval '1 ms'
          * least($${p + 2}::float8, $${p + 1}::float8 * 2 ^ (case when v.is_halved then 0 else e.attempt - 1 end))
            end as not_before
      from ended e
      left join candidates c using (worker_type, from_height)
      cross join lateral (select e.is_counted and e.attempt >= $${p}::integer as is_used_up) u
      cross join lateral (
        select case when u.is_used_up then 'flagged' when e.may_wait then 'failed' else 'queued' end as status,
          not u.is_used_up
            and coalesce(c.failing <= $${p + 5}::integer and (c.is_proven or c.failing_ranges <=
              $${p + 4}::integer), false)
            as is_halved
      ) v
    ), upper_halves as (
      insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt, not_before,
        failed_at,
        last_error, last_error_code, last_error_stack)
      select worker_type, middle, to_height, generation, status, attempt, not_before, now(), error, code, stack
      from judged where middle is not null
    )
    update app.worker_leases l
    set status = j.status, attempt = l.attempt - (not j.is_counted)::integer, expiries = l.expiries +
      j.is_expiry::integer,
      to_height = coalesce(j.middle, l.to_height), not_before = j.not_before,
      leased_by = null, lease_expires_at = null, enqueued_at = case when j.status = 'queued' then now() end,
      last_error = j.error, last_error_code = j.code, last_error_stack = j.stack, failed_at = now(), updated_at = now()
    from judged j
    where l.worker_type = j.worker_type and l.from_height = j.from_height
    returning l.worker_type, l.from_height, l.to_height, l.generation, l.attempt, l.status, j.middle is not null as
      is_halved`
}

function endRunsValues(policy: RetryPolicy): number[] {
  const { maxRuns, baseMs, capMs, halveAfterRuns, maxFailingUnproven, maxFailing } = policy
  return [maxRuns, baseMs, capMs, halveAfterRuns, maxFailingUnproven, maxFailing]
}

function asEndedRun(row: EndedRow): EndedAttempt {
  return {
    worker: row.worker_type,
    from: Number(row.from_height),
    to: Number(row.to_height),
    status: row.status,
    attempt: row.attempt,
    isHalved: row.is_halved,
  }
}
