import type pg from 'pg'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { asDatabaseError } from '../../src/platform/db/errors.ts'
import { listLeases } from '../../src/farm/leases/operator-leases.ts'
import type { LeaseFilter, ListedLease } from '../../src/farm/leases/operator-leases.ts'

const pageSize = 1000

export interface WantedLeases extends Pick<LeaseFilter, 'workers' | 'statuses' | 'code'> {
  /** Those that reach into these heights. */
  readonly range?: HeightRange
}

/** All leases that fit, by worker and height. */
export async function findLeases(pool: pg.Pool, { range, ...filter }: WantedLeases): Promise<ListedLease[]> {
  const found: ListedLease[] = []
  try {
    for (let after: ListedLease | undefined; ;) {
      const page = await listLeases(pool, { ...filter, after, limit: pageSize })
      found.push(...page.filter(({ from, to }) => range === undefined || (from < range.to && to > range.from)))
      after = page.at(-1)
      if (page.length < pageSize) return found
    }
  } catch (error) {
    throw asDatabaseError(error)
  }
}
