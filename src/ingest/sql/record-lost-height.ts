import type pg from 'pg'
import { withTransaction } from '../../platform/db/pool.ts'
import type { LostHeight } from '../failing-heights.ts'
import { insertUnavailable } from './insert-unavailable.ts'

/**
 * Records a height that is given up as a whole: it is neither stored nor owed from now on.
 * @returns false where a rollback or a retry came between, or the height is stored: then nothing is recorded
 */
export function recordLostHeight(
  pool: pg.Pool,
  ingester: { readonly name: string; readonly generation: number },
  lost: LostHeight,
): Promise<boolean> {
  const { lostHeight: height, reason, endpoint } = lost
  return withTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `select 1 from app.indexing_checkpoints
       where service_name = $1 and generation = $2 and not covered @> $3::bigint for update`,
      [ingester.name, ingester.generation, height],
    )
    if (rowCount !== 1) return false
    await insertUnavailable(client, [{ blockHeight: height, part: 'block', txIndex: -1, reason, endpoint }])
    return true
  })
}
