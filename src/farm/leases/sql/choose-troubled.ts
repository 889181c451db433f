import { inLockOrder } from '../lease.ts'
import type { LeaseKey } from '../lease.ts'

/**
 * The part of a statement that finds and locks, as `chosen`, those of the leases ($1 workers, $2 first heights) that a
 * person may decide on.
 * @param columns of app.worker_leases `l`
 */
export function chooseTroubled(columns = 'l.worker_type, l.from_height'): string {
  return `chosen as materialized (
        select ${columns}
        from unnest($1::text[], $2::bigint[]) as k (worker_type, from_height)
        join app.worker_leases l using (worker_type, from_height)
        where l.status in ('failed', 'flagged')
        order by l.worker_type, l.from_height
        for update of l
      )`
}

/** The first two values of such a statement. */
export function keyValues(keys: readonly LeaseKey[]): [workers: string[], from: number[]] {
  const sorted = inLockOrder(keys)
  return [sorted.map((key) => key.worker), sorted.map((key) => key.from)]
}
