import type pg from 'pg'

/** Makes the rows of workers in app.indexing_checkpoints where they are missing. */
export async function addCheckpoints(db: pg.Pool | pg.ClientBase, workers: readonly string[]): Promise<void> {
  await db.query(
    'insert into app.indexing_checkpoints (service_name) select unnest($1::text[]) order by 1 on conflict do nothing',
    [workers],
  )
}
