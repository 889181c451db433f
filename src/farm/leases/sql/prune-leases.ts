import type pg from 'pg'

/**
 * Deletes the leases of workers that the program no longer has, once nobody has touched them for `ageMs`: those heights
 * are owed again should the worker come back. What is done was folded into coverage, and what a person skipped stays, so
 * the table needs no other pruning.
 * @returns how many there were
 */
export async function pruneLeases(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  ageMs: number,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'farm-prune-leases',
    text: `
      delete from app.worker_leases
      where status in ('queued', 'active', 'failed', 'flagged') and worker_type <> all ($1::text[])
        and updated_at < now() - $2 * interval '1 ms'`,
    values: [workers, ageMs],
  })
  return rowCount ?? 0
}
