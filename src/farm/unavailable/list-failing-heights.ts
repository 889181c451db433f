import type pg from 'pg'
import { asDatabaseError } from '../../db/errors.ts'

/** A height that ingestion waits for, or that was given up, whole or in part. */
export interface FailingHeight {
  readonly height: number
  readonly state: 'failing' | 'skipping' | 'unavailable'
  /** What is missing: block, transactions, results; null while it fails. */
  readonly part: string | null
  readonly reason: string
  readonly since: Date
  /** How many parts of the height are missing; attempts while it fails. */
  readonly count: number
}

export interface FailingHeights {
  /** Those that ingestion waits for first, then the latest to be given up. */
  readonly heights: readonly FailingHeight[]
  readonly failing: number
  readonly unavailable: number
}

/** More are not counted. */
const maxCount = 100_000

/** By height where given, bounded by `limit`. */
export async function listFailingHeights(db: pg.Pool | pg.ClientBase, limit: number): Promise<FailingHeights> {
  try {
    const { rows } = await db.query<FailingHeight & { failing: number; unavailable: number }>({
      name: 'farm-list-failing-heights',
      text: `
        with counts as (
          select (select count(*)::float8 from (select from raw.failing_heights where given_up_at is null limit ${maxCount}) f) as failing,
            (select count(*)::float8 from (select distinct block_height from raw.unavailable limit ${maxCount}) u) as unavailable
        ), listed as (
          (select 0 as place, height, case when skip_requested_at is null then 'failing' else 'skipping' end as state,
            null as part, reason, failing_since as since, attempts as count
          from raw.failing_heights where given_up_at is null order by failing_since, height limit $1)
          union all
          (select 1, block_height, 'unavailable', min(part), min(reason), min(recorded_at), count(*)
          from raw.unavailable group by block_height order by min(recorded_at) desc, block_height limit $1)
        )
        select c.failing, c.unavailable, height::float8 as height, state, part, reason, since, count::float8 as count
        from counts c left join (select * from listed order by place, since desc, height limit $1) l on true
        order by place, case when place = 0 then since end, since desc, height`,
      values: [limit],
    })
    const heights = rows
      .filter(({ height }) => height !== null)
      .map(({ height, state, part, reason, since, count }) => ({ height, state, part, reason, since, count }))
    return { heights, failing: rows[0]?.failing ?? 0, unavailable: rows[0]?.unavailable ?? 0 }
  } catch (error) {
    throw asDatabaseError(error)
  }
}
