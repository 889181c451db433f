import type pg from 'pg'
import { query } from '../../db/pool.ts'
import { withRetriedTransaction } from '../../db/retried-transaction.ts'
import type { AuthParts } from './auth-parts.ts'
import { userRemovedMail } from './mail/account-mail.ts'
import { requireConfirmedChange } from './require-recent-sign-in.ts'
import type { ChangeRequest } from './require-recent-sign-in.ts'

/** What other parts forget of a user who goes, in the transaction that removes them. */
export type ForgetUser = (client: pg.ClientBase, userId: string) => Promise<void>

/**
 * Removes a user at their own wish, with their sessions, their accounts at providers and what waits for them. Of the log the lines stay for their 90
 * days, without addresses and browsers. The accounts on the chain stay what they are.
 * @throws ApiError 403 `reauthentication_needed`, 409 `only_key`
 */
export async function removeUser(
  parts: AuthParts,
  { abandon, ...request }: Omit<ChangeRequest, 'change'> & { readonly abandon: readonly string[] },
): Promise<void> {
  const { pool, audit, outbox, name, forgetUser } = parts
  const {
    session: { user },
    client,
  } = request
  await requireConfirmedChange(parts, { ...request, change: { action: 'delete-user', abandon: [...abandon] } })
  await withRetriedTransaction(pool, async (db) => {
    // First of all: who holds the user while they make something for them (`holdUser`) ends before that is looked for.
    await query(db, 'select from wallet_auth.users where id = $1 for update', [user.id])
    await forgetUser(db, user.id)
    await query(db, 'delete from wallet_auth.users where id = $1', [user.id])
    if (user.email !== null) await query(db, 'delete from wallet_auth.one_time_tokens where email = $1', [user.email])
    if (user.email !== null) await outbox.store(db, userRemovedMail({ to: user.email, name, from: client.address }))
    await audit.note(db, 'user_removed', { userId: user.id, client })
    await query(db, 'update wallet_auth.audit_log set ip = null, user_agent = null where user_id = $1', [user.id])
  })
  outbox.deliver()
}
