import type pg from 'pg'

/**
 * Locks the checkpoints of workers until the end of the transaction. Whoever adds leases or takes any away holds them: two
 * coordinators (one of which does not know yet that it lost its lock), a rollback of the chain, a person who reopens a
 * range. It must be a statement of its own, before the one that reads: a statement sees what was there when it began, and
 * this one may have to wait.
 */
export async function lockCheckpoints(client: pg.ClientBase, workers: readonly string[]): Promise<void> {
  await client.query({
    name: 'farm-lock-checkpoints',
    text: 'select 1 from app.indexing_checkpoints where service_name = any ($1::text[]) order by service_name for no key update',
    values: [workers],
  })
}
