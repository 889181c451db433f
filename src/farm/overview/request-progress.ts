import type pg from 'pg'
import { difference, intersection, parseMultirange, size, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import type { LeaseStatus } from '../leases/lease.ts'
import { leasesFrom } from '../coverage/coverage.ts'
import type { LinkedWorker } from '../coverage/worker-closure.ts'

/** How far a worker is within some heights. */
export interface WorkerProgress {
  readonly worker: string
  /** Neither done nor skipped. */
  readonly owed: HeightSet
  readonly done: HeightSet
  readonly skipped: HeightSet
  readonly active: HeightSet
  /** Wait for their next run. */
  readonly failed: HeightSet
  readonly flagged: HeightSet
  /** When the next of the failed ones is tried again. */
  readonly nextTry: Date | null
}

export interface RequestProgress {
  readonly workers: readonly WorkerProgress[]
  /** Nothing is owed. */
  readonly isDone: boolean
  /** Whatever is owed is flagged, or waits for what is flagged: it goes on only when a person acts. */
  readonly isStuck: boolean
}

/**
 * How far workers are within a range of heights.
 * @param workers all workers of the farm
 * @param names those that are asked about, with all that they follow
 */
export async function readRequestProgress(
  db: pg.Pool | pg.ClientBase,
  workers: readonly LinkedWorker[],
  names: readonly string[],
  range: HeightRange,
): Promise<RequestProgress> {
  const rows = await readRequestRows(db, names, range)
  const progress = rows.map((row) => progressOf(row, range))
  const passable = new Map(progress.map(({ worker, done, skipped }) => [worker, union(done, skipped)]))
  const canGoOn = progress.some(({ worker, owed, flagged }) => {
    const follows = workers.find(({ name }) => name === worker)?.follows ?? []
    const able = follows.reduce((left, name) => intersection(left, passable.get(name) ?? []), difference(owed, flagged))
    return able.length > 0
  })
  const isDone = progress.every(({ owed }) => owed.length === 0)
  return { workers: progress, isDone, isStuck: !isDone && !canGoOn }
}

function progressOf({ worker, covered, leases, nextTry }: RequestRow, range: HeightRange): WorkerProgress {
  const leased = (status: LeaseStatus): HeightSet => intersection(parseMultirange(leases[status] ?? ''), [range])
  const done = union(parseMultirange(covered), leased('done'))
  const skipped = difference(leased('skipped'), done)
  return {
    worker,
    done,
    skipped,
    owed: difference(difference([range], done), skipped),
    active: leased('active'),
    failed: leased('failed'),
    flagged: leased('flagged'),
    nextTry,
  }
}

/** Heights that are owed, counted once for each worker. */
export function owedCount({ workers }: RequestProgress): number {
  return workers.reduce((sum, { owed }) => sum + size(owed), 0)
}

/** What one worker has of a range of heights. */
interface RequestRow {
  readonly worker: string
  /** Folded coverage within the heights, as a multirange. */
  readonly covered: string
  /** Leases that reach into the heights, by state, as multiranges. */
  readonly leases: Readonly<Partial<Record<LeaseStatus, string>>>
  /** When the next failed lease is tried again. */
  readonly nextTry: Date | null
}

/** Coverage and leases of workers within heights, in one snapshot. Linear in the pieces of coverage of the workers. */
export async function readRequestRows(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  { from, to }: HeightRange,
): Promise<RequestRow[]> {
  const { rows } = await db.query<RequestRow>({
    name: 'farm-request-rows',
    text: `
      select w.worker, (coalesce(c.covered, '{}') * int8multirange(int8range($2, $3)))::text as covered,
        coalesce(l.leases, '{}') as leases, l.next_try as "nextTry"
      from unnest($1::text[]) as w (worker)
      left join app.indexing_checkpoints c on c.service_name = w.worker
      cross join lateral (
        select jsonb_object_agg(s.status, s.heights) as leases, min(s.not_before) as next_try
        from (
          select l.status, range_agg(int8range(l.from_height, l.to_height))::text as heights,
            min(l.not_before) as not_before
          from app.worker_leases l
          where ${leasesFrom('w.worker', '$2::bigint')} and l.from_height < $3::bigint and l.to_height > $2::bigint
          group by l.status
        ) s
      ) l`,
    values: [workers, from, to],
  })
  return rows
}
