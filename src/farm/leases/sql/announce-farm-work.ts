import type pg from 'pg'

/** Heard by the coordinator: ranges were done, or a person changed something, so there may be more to give out. */
export const farmChannel = 'flowfarm_farm'

/** Wakes the coordinator; inside a transaction, when it commits. */
export async function announceFarmWork(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce', text: `select pg_notify('${farmChannel}', '')` })
}
