import { setImmediate } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'

/** Resolves when a session of the database waits for a lock of another session. */
export async function untilLockWait({ pool }: Pick<TestDatabase, 'pool'>): Promise<void> {
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await pool.query(waits)).rowCount === 0) await setImmediate()
}
