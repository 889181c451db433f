import type pg from 'pg'
import { query } from '../../db/pool.ts'

const statements = [
  'delete from auth.one_time_tokens where expires_at <= now()',
  'delete from auth.flow_states where expires_at <= now()',
  'delete from auth.sessions where not_after <= now()',
  "delete from auth.audit_log where at < now() - interval '90 days'",
]

/** Removes what is no longer good for anything. Any number of processes may do so at once. */
export async function pruneAuth(pool: pg.Pool): Promise<void> {
  for (const statement of statements) await query(pool, statement)
}
