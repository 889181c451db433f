import type pg from 'pg'
import { databaseIdentity, retryConflicts } from '../../platform/db/pool.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { escapeLiteral } from 'pg'
import { pgText } from '../../platform/db/copy-writer.ts'
import { asError, FlowfarmError, RetryableError } from '../../platform/errors.ts'

/**
 * A lease: a range of heights that one worker has to do, and who is at it. One row of `app.worker_leases`; the leases
 * of a worker never overlap.
 *
 *                                 release (clean stop, not a run)
 *              ┌──────────────────────────────────────────────────────────┐
 *              ▼                                                          │
 *     cut ──► queued ──claim (run + 1)──► active ──complete──► done ──fold──► gone, now in the worker's coverage
 *              ▲ ▲                          │ │
 *              │ └──first expiry, at once───┘ └──fail, or expires again───┐
 *              │                                                          ▼
 *              ├──not_before has come──── failed ◄──runs left──── (longer than a block: halved)
 *              │                            │                             │
 *              │                            │                  runs used up▼
 *              └──requeue, split (a person)─┴──────────────────────────flagged
 *                                           └──skip (a person, with a reason)──► skipped
 *
 * - Every claim is a run and takes a new generation. Whatever ends a run names worker, range and generation and must
 *   find the lease active: so a claim that was taken away can neither commit nor report.
 * - A run that its process did not survive is a run too, or a range that kills its process would be tried for ever. The
 *   first expiry is held to be the process's fault and is queued at once; from the second on the lease waits like
 *   after a failure, so that it parts from the innocent ranges that ran beside it when the process died.
 * - From its second failure on a range longer than a block is halved, so that a bad block ends alone and the rest is
 *   done: as long as the worker has other ranges done or few that fail (`RetryPolicy`), since halving does not help a
 *   broken worker. Both halves inherit the count of runs: no height is ever run more than `maxRuns` times before a
 *   person looks at it.
 * - `skipped` counts as covered for the workers that follow and for nobody else, and stays listed.
 * - A rollback deletes leases, in whatever state they are.
 */
export type LeaseStatus = 'queued' | 'active' | 'done' | 'failed' | 'flagged' | 'skipped'

/** Names a lease whatever its state. */
export interface LeaseKey {
  /** Name of the worker. */
  readonly worker: string
  /** First height. */
  readonly from: number
}

/**
 * Names one claim of a lease. The range is part of it: claims are committed asynchronously, so a crash of the server
 * may undo some and give their generations out again, for leases that begin at the same height and end elsewhere.
 */
export interface LeaseClaim extends LeaseKey {
  /** End of the range, exclusive. */
  readonly to: number
  readonly generation: number
}

/** A lease that waits for a process to claim it. */
export interface QueuedLease extends LeaseKey {
  /** End of the range, exclusive. */
  readonly to: number
  /** The last claim, 0 before the first: tells a lease that was queued anew from its earlier self. */
  readonly generation: number
  /** Runs so far. More than 0: better run alone, since it may fail again. */
  readonly attempt: number
}

/** A lease that this process works on. */
export interface ClaimedLease extends LeaseClaim {
  /** Runs so far, this one included. */
  readonly attempt: number
  /** Where it was claimed, as `databaseIdentity` gives it. */
  readonly database?: string
}

/** How a run ended that did not complete. */
export interface EndedRun extends LeaseKey {
  /** End of what is left under this key: where the lease was halved, the lower half's. */
  readonly to: number
  readonly status: 'queued' | 'failed' | 'flagged'
  readonly attempt: number
  readonly isHalved: boolean
}

/**
 * Ascending by worker and height: the order in which every statement locks the rows of leases, so none wait
 * crosswise.
 */
export function inLockOrder<T extends LeaseKey>(leases: readonly T[]): T[] {
  return [...leases].sort((a, b) => (a.worker < b.worker ? -1 : a.worker > b.worker ? 1 : a.from - b.from))
}

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

/** When a range that failed is tried again. */
export interface RetryPolicy {
  /** Runs of a height before it is flagged. */
  readonly maxRuns: number
  /**
   * Longest pause after the first failed run, in milliseconds; doubles with each. The pause is from half of it up,
   * at random.
   */
  readonly baseMs: number
  /** Longest pause, in milliseconds. */
  readonly capMs: number
  /** A range longer than one block is halved when this many runs of it have failed, within the two limits below. */
  readonly halveAfterRuns: number
  /**
   * A worker with so many failing ranges of several blocks has none halved unless another of its ranges was done since:
   * the worker is broken, not the ranges. Below it the halves themselves show whether the worker works, also where it
   * has nothing else to do.
   */
  readonly maxFailingUnproven: number
  /** A worker with so many failing ranges has none halved. */
  readonly maxFailing: number
}

/** The first run and 20 retries; the retries of a block that always fails take some 55 minutes. */
export const defaultRetryPolicy: RetryPolicy = {
  maxRuns: 21,
  baseMs: 1000,
  capMs: 300_000,
  halveAfterRuns: 2,
  maxFailingUnproven: 8,
  maxFailing: 1000,
}

/**
 * queued → active, for as many of `keys` as are queued; each claim is given to one caller. A lease that is locked
 * at this moment is waited for rather than passed over: whoever holds it may leave it queued. By primary key, one
 * round trip whatever the number. Rows are locked in the order of the keys as long as the planner joins by them; on
 * a table without statistics it may hash instead, and then two who claim the same leases can meet in a deadlock,
 * after which the one that lost it claims again: not to be called within a transaction. A locking subquery would
 * promise the order and costs half as much again.
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
      returning ${leaseColumns}, (${databaseIdentity.sql}) as database`,
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
 * Renews the leases of a process that have used up a quarter of their time. One statement for all of them, by primary
 * key. A row that is locked is about to be completed, by this process in its commit: it is left out, since waiting
 * for it would keep all others from being renewed, and the reaper leaves it alone too.
 * @returns the claims that were taken away: their work must stop. One that ended meanwhile by its own commit is among
 *   them too; the caller knows which.
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
 * The same for one lease as text without parameters, so that it can travel with others in one round trip. Changes
 * one row if the lease was still held, and else none.
 */
export function completeLeaseText({ worker, from, to, generation }: LeaseClaim): string {
  return `update app.worker_leases ${completed}
      where worker_type = ${escapeLiteral(worker)} and from_height = ${BigInt(from)} and to_height = ${BigInt(to)}
        and generation = ${BigInt(generation)} and status = 'active'`
}

/**
 * active → done, as a part of the commit of the rows. Best as the commit's first statement: from here to COMMIT the
 * row is locked, so the lease cannot be reaped, and a rollback of the chain waits for the commit instead of
 * crossing it. By primary key, in the order of the keys; a locking subquery would promise that order and costs half
 * as much again.
 * @returns the leases that were still held. Where one is missing its claim was taken away: nothing derived for it
 * may be
 *   committed.
 */
export async function completeLeases(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<LeaseKey[]> {
  const sorted = inLockOrder(claims)
  const { rows } = await db.query<{ worker_type: string; from_height: string }>({
    name: 'farm-complete-leases',
    text: `
      update app.worker_leases l ${completed}
      from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as k (worker_type, from_height, to_height,
        generation)
      where l.worker_type = k.worker_type and l.from_height = k.from_height and l.to_height = k.to_height and
        l.generation = k.generation
        and l.status = 'active'
      returning l.worker_type, l.from_height`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
    ],
  })
  return rows.map((row) => ({ worker: row.worker_type, from: Number(row.from_height) }))
}

interface FailedRun extends LeaseClaim {
  readonly error: unknown
}

/** What is kept of a message or a stack, in characters. */
const maxText = 10_000

/**
 * active → failed or flagged, with the error. A RetryableError (a connection that broke, say) is not the range's fault:
 * such a range is tried again as it is and never halved. One that only waited does not count as a run. By primary key.
 * @returns what became of those that were still held
 */
export async function failLeases(
  db: pg.Pool | pg.ClientBase,
  runs: readonly FailedRun[],
  policy = defaultRetryPolicy,
): Promise<EndedRun[]> {
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

/**
 * Of RetryableErrors: the range was waiting, for a connection or for a lock of another range, and says nothing about
 * itself. It is tried again for as long as that lasts.
 */
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

interface Reaped {
  readonly runs: readonly EndedRun[]
  /** Those of them that are queued again already and need a job. */
  readonly queued: readonly QueuedLease[]
}

/** Most leases that one call takes away. */
const maxReapedAtOnce = 1000

/**
 * active → queued, failed or flagged, for leases that were not renewed in time. A row that is locked is in the
 * middle of its commit and stays. By the index on the time of expiry: 0.1 ms while nothing is due.
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

/** What `ended` takes from the leases `l` that it locks. */
const endedColumns = 'l.worker_type, l.from_height, l.to_height, l.generation, l.attempt, l.failed_at'

/** Newest done leases that are looked at; the others have become coverage, unless no process coordinates. */
const maxUnfolded = 200

/**
 * The rest of a statement that ends runs without success: active → queued, failed or flagged, halved where that helps.
 * It follows a CTE `ended`, which has locked the rows: `endedColumns`, and is_expiry, may_wait (false: queue it at
 * once), may_halve, is_counted (false: it was no run, and is only tried again), error, code, stack. `p` is the position
 * of the first parameter of `endRunsValues`.
 *
 * Failing are the open leases that have failed and were not done since. They are counted before any is halved here, so
 * the n-th that may be halved counts n more; statements at the same time may each go over the limits by what they end.
 * A half waits as after a first failure: the search for the bad block must not take the pauses of a block that is known
 * bad.
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

function asEndedRun(row: EndedRow): EndedRun {
  return {
    worker: row.worker_type,
    from: Number(row.from_height),
    to: Number(row.to_height),
    status: row.status,
    attempt: row.attempt,
    isHalved: row.is_halved,
  }
}
