import type pg from 'pg'
import { FatalError } from '../../../base/errors.ts'
import { pgText } from '../../../db/copy/pg-text.ts'
import type { LeaseKey } from '../lease.ts'
import { chooseTroubled, keyValues } from './choose-troubled.ts'

/**
 * flagged, failed → skipped: a person gives the heights up for this worker, and the workers that follow it go on without.
 * The lease stays listed. To take it up again, reopen the range for the worker and its followers.
 * @returns how many there were
 * @throws FatalError `skip-without-reason`
 */
export async function skipLeases(
  db: pg.Pool | pg.ClientBase,
  keys: readonly LeaseKey[],
  reason: string,
): Promise<number> {
  if (reason.trim() === '') throw new FatalError('skip-without-reason', 'a range is skipped only with a reason')
  const { rowCount } = await db.query({
    name: 'farm-skip-leases',
    text: `
      with ${chooseTroubled()}
      update app.worker_leases l
      set status = 'skipped', reason = $3, not_before = null, updated_at = now()
      from chosen c
      where l.worker_type = c.worker_type and l.from_height = c.from_height`,
    values: [...keyValues(keys), pgText(reason.trim())],
  })
  return rowCount ?? 0
}
