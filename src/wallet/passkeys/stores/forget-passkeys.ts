import type pg from 'pg'
import { query } from '../../../db/pool.ts'

/** The keys stay, since accounts on the chain have them: without them others could claim to have made them. Nothing says any more whose they were. */
const statements = [
  "update wallet.passkeys set removed_at = coalesce(removed_at, now()), name = '' where user_id = $1",
  'delete from wallet.challenges where user_id = $1',
  'delete from wallet.further_accounts where user_id = $1',
  'update wallet.audit_log set ip = null, origin = null, user_agent = null where user_id = $1',
]

/** Forgets the passkeys of a user who goes, in the transaction that removes them: nobody signs in by them any more. */
export async function forgetPasskeys(client: pg.ClientBase, userId: string): Promise<void> {
  for (const statement of statements) await query(client, statement, [userId])
}
