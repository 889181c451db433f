import type pg from 'pg'
import { query } from '../../db/pool.ts'

const statements = [
  'delete from wallet_auth.one_time_tokens where expires_at <= now()',
  'delete from wallet_auth.email_changes where expires_at <= now()',
  'delete from wallet_auth.flow_states where expires_at <= now()',
  'delete from wallet_auth.sessions where not_after <= now()',
  "delete from wallet_auth.audit_log where at < now() - interval '90 days'",
]

/** Removes what is no longer good for anything. Any number of processes may do so at once. */
export async function pruneAuth(pool: pg.Pool): Promise<void> {
  for (const statement of statements) await query(pool, statement)
}
