import type pg from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'
import type { LeaseStatus } from '../leases/lease.ts'

/** The leases of one worker in one state. */
export interface LeaseGroup {
  readonly leases: number
  readonly heights: number
  /** int8multirange as text. */
  readonly ranges: string
}

export interface OldestRow {
  readonly from: number
  readonly to: number
  readonly status: LeaseStatus
  readonly attempt: number
  readonly since: string
}

export interface StageRow {
  readonly name: string
  /** Folded coverage as text; null when it is of the version that was named, and while there is no row. */
  readonly covered: string | null
  /** Names the version of the folded coverage; null while there is no row. */
  readonly version: string | null
  readonly updatedAt: Date | null
  /** When a lease of it was last done, as far as known; null for ingesters. */
  readonly succeededAt: Date | null
  /** The lowest height that the history ingester is to bring; null for all others, and until it knows. */
  readonly target: number | null
  readonly leases: Readonly<Partial<Record<LeaseStatus, LeaseGroup>>> | null
  readonly oldest: OldestRow | null
}

export interface FarmRows {
  /** In the order of the names. */
  readonly stages: readonly StageRow[]
  readonly chainId: string | null
  readonly latestHeight: number | null
  readonly unresolvedErrors: number
  /** Heights that ingestion waits for, and those that were given up, whole or in part. */
  readonly failingHeights: number
  readonly unavailableHeights: number
}

interface Row extends StageRow {
  readonly chainId: string | null
  readonly latestHeight: number | null
  readonly unresolvedErrors: number
  readonly failingHeights: number
  readonly unavailableHeights: number
}

/** More are not counted. */
export const mostErrors = 100_000

/**
 * All that an overview is made of, in one snapshot. What it costs is reading the leases that are not folded yet, and the text
 * of those sets of coverage whose version is not the one in `known`: 2 MB for 100,000 pieces.
 */
export async function readFarmRows(
  db: pg.Pool | pg.ClientBase,
  names: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<FarmRows> {
  try {
    const { rows } = await db.query<Row>({
      name: 'farm-read-overview',
      text: statement,
      values: [names, names.map((name) => known.get(name) ?? null)],
    })
    const [first] = rows
    return {
      stages: rows,
      chainId: first?.chainId ?? null,
      latestHeight: first?.latestHeight ?? null,
      unresolvedErrors: first?.unresolvedErrors ?? 0,
      failingHeights: first?.failingHeights ?? 0,
      unavailableHeights: first?.unavailableHeights ?? 0,
    }
  } catch (error) {
    throw asDatabaseError(error)
  }
}

const statement = `
  with stage as (
    select * from unnest($1::text[], $2::text[]) with ordinality as s (name, known, position)
  ), grouped as materialized (
    select worker_type, status, count(*) as leases, sum(to_height - from_height) as heights,
      range_agg(int8range(from_height, to_height))::text as ranges, max(updated_at) as updated_at
    from app.worker_leases where worker_type = any ($1::text[]) group by worker_type, status
  ), oldest as materialized (
    select distinct on (worker_type) worker_type, json_build_object('from', from_height, 'to', to_height, 'status', status,
      'attempt', attempt, 'since', created_at) as lease
    from app.worker_leases
    where worker_type = any ($1::text[]) and status in ('queued', 'active', 'failed', 'flagged')
    order by worker_type, created_at, from_height
  ), leases as materialized (
    select worker_type, max(updated_at) as updated_at, max(updated_at) filter (where status = 'done') as done_at,
      json_object_agg(status, json_build_object('leases', leases, 'heights', heights, 'ranges', ranges)) as groups
    from grouped group by worker_type
  ), farm as materialized (
    select (select chain_id from app.chain) as chain_id,
      (select latest_height::float8 from app.chain) as latest_height,
      (select count(*)::float8 from (select from raw.indexing_errors where resolved_at is null limit ${mostErrors}) e) as errors,
      (select count(*)::float8 from (select from raw.failing_heights where given_up_at is null limit ${mostErrors}) h) as failing,
      (select count(distinct block_height)::float8 from (select block_height from raw.unavailable limit ${mostErrors}) u) as lost
  )
  select s.name, c.xmin::text as version,
    case when c.xmin::text is distinct from s.known then c.covered::text end as covered,
    greatest(c.updated_at, l.updated_at) as "updatedAt", greatest(c.succeeded_at, l.done_at) as "succeededAt", c.target_height::float8 as target,
    l.groups as leases, o.lease as oldest,
    f.chain_id as "chainId", f.latest_height as "latestHeight", f.errors as "unresolvedErrors",
    f.failing as "failingHeights", f.lost as "unavailableHeights"
  from farm f cross join stage s
  left join app.indexing_checkpoints c on c.service_name = s.name
  left join leases l on l.worker_type = s.name
  left join oldest o on o.worker_type = s.name
  order by s.position`
