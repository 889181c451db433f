import type pg from 'pg'
import { ingesterServices } from './ingesters.ts'
import { reopenHeights } from './sql/reopen-heights.ts'

/**
 * Takes the farm's part in a rollback of the chain to `ancestor`: coverage is cut above it, leases that reach above it are
 * deleted, skipped ones too, and so every commit under way for these heights is fenced off.
 *
 * It runs in the transaction that rolls back the raw tables, which has locked all of app.indexing_checkpoints, and before
 * anything else is deleted in it: a commit that was faster has ended when this returns, and one that comes later finds
 * its lease gone before it has written a row. The rows that workers derived above `ancestor` are deleted afterwards.
 */
export async function rollBackFarm(client: pg.ClientBase, ancestor: number): Promise<void> {
  const { rows } = await client.query<{ worker: string }>(
    `select service_name as worker from app.indexing_checkpoints where service_name <> all ($1::text[])
     union select worker_type from app.worker_leases`,
    [ingesterServices],
  )
  await reopenHeights(
    client,
    rows.map((row) => row.worker),
    ancestor + 1,
    undefined,
  )
}
