import type pg from 'pg'
import { query } from '../db/pool.ts'

/**
 * Forgets the account of a person who goes, in the transaction that removes them: it and its keys are revoked for good, and nothing says any more whose
 * they were. Where they have webhooks, nothing is sent any more.
 * @param userId as the authentication service names them (sub)
 */
export async function forgetAccount(client: pg.ClientBase, userId: string): Promise<void> {
  // The account first, as whoever makes a key for it has it first: their key is there before the next statement looks.
  const {
    rows: [account],
  } = await query<{ id: number }>(
    client,
    `update app.developer_keys set user_id = null, name = 'of a person who is gone', revoked_at = coalesce(revoked_at, now()) where user_id = $1 returning id::float8 as id`,
    [userId],
  )
  if (account === undefined) return
  await query(
    client,
    `update app.developer_keys set name = 'of a person who is gone', revoked_at = coalesce(revoked_at, now()) where account_id = $1`,
    [account.id],
  )
}
