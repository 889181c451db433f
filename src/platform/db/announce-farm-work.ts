import type pg from 'pg'

/** Heard by the coordinator: ranges were done, or a person changed something, so there may be more to give out. */
export const farmChannel = 'flowfarm_farm'

/** Payload of the notification after a change of rows that answers about settled heights use. */
export const rowsChanged = 'rows-changed'

/** Wakes the coordinator; inside a transaction, when it commits. */
export async function announceFarmWork(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce', text: `select pg_notify('${farmChannel}', '')` })
}

/**
 * The same, and tells servers to drop cached answers about settled heights: heights will be derived again, or a label or template has
 * changed.
 */
export async function announceChangedRows(db: pg.Pool | pg.ClientBase): Promise<void> {
  await db.query({ name: 'farm-announce-change', text: `select pg_notify('${farmChannel}', '${rowsChanged}')` })
}
