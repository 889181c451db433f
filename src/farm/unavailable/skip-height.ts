import type pg from 'pg'
import { ApiError } from '../../base/errors.ts'
import { ingesterServices } from '../coverage/ingesters.ts'

/**
 * Asks the ingester that waits for a height to give it up at its next try, with what can be had of it.
 * @throws ApiError 404 `height-not-failing` where none waits for it
 */
export async function skipHeight(pool: pg.Pool, height: number): Promise<void> {
  const { rowCount } = await pool.query(
    `update raw.failing_heights set skip_requested_at = coalesce(skip_requested_at, now())
     where height = $1 and given_up_at is null and not exists (
       select 1 from app.indexing_checkpoints where service_name = any ($2::text[]) and covered @> $1::bigint
     )`,
    [height, ingesterServices],
  )
  if (rowCount === 1) return
  throw new ApiError(
    404,
    'height-not-failing',
    `Height ${height} is not failing, so there is nothing to skip. npm run raw -- list shows the heights that are.`,
  )
}
