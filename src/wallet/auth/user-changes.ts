import type pg from 'pg'
import { z } from 'zod'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { authError } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { userRemovedMail } from './mail.ts'
import type { AuthClient, OpenSession } from './stores/sessions.ts'

/** Accounts on the chain that a user gives up with a change, because only the passkeys that go can sign for them. */
const abandon = z.array(z.string().max(20)).max(300).default([])

/** A change that a user with a passkey confirms by an assertion for this very change. */
export const userChange = z.discriminatedUnion('action', [
  z.object({ action: z.literal('add-passkey') }),
  z.object({ action: z.literal('remove-passkey'), credentialId: z.string().max(1400), abandon }),
  z.object({ action: z.literal('change-email'), email: z.string().max(320) }),
  z.object({ action: z.literal('delete-user'), abandon }),
])
export type UserChange = z.output<typeof userChange>

/** How the wallet asks for such a confirmation. */
export interface ConfirmUserChange {
  /** Whether the user has a passkey to confirm by. */
  hasPasskey(userId: string): Promise<boolean>
  /**
   * Checks the confirmation of a change.
   * @param given as the client sent it; undefined: nothing
   * @returns false: the user has no passkey to confirm by
   * @throws ApiError 403 `reauthentication_needed` where it is missing, 409 `only_key` where the user does not abandon
   * accounts that would be lost, and what checking an assertion throws
   */
  confirm(asked: {
    readonly userId: string
    readonly change: UserChange
    readonly given: unknown
    readonly client: AuthClient
    readonly signal: AbortSignal
  }): Promise<boolean>
}

/** What other parts forget of a user who goes, in the transaction that removes them. */
export type DeleteUserData = (client: pg.ClientBase, userId: string) => Promise<void>

/**
 * Deletes a user on request, with sessions, provider accounts and pending changes. Log lines stay 90 days, without
 * addresses and user agents. Accounts on the chain stay. @throws ApiError 403 `reauthentication_needed`, 409 `only_key`
 */
export async function removeUser(
  parts: AuthParts,
  { abandon, ...request }: Omit<ChangeRequest, 'change'> & { readonly abandon: readonly string[] },
): Promise<void> {
  const { pool, audit, outbox, name, deleteUserData } = parts
  const {
    session: { user },
    client,
  } = request
  await requireConfirmedChange(parts, { ...request, change: { action: 'delete-user', abandon: [...abandon] } })
  await withRetriedTransaction(pool, async (db) => {
    // First of all: who holds the user while they make something for them (`lockUser`) ends before that is looked for.
    await query(db, 'select from wallet_auth.users where id = $1 for update', [user.id])
    await deleteUserData(db, user.id)
    await query(db, 'delete from wallet_auth.users where id = $1', [user.id])
    if (user.email !== null) await query(db, 'delete from wallet_auth.one_time_tokens where email = $1', [user.email])
    if (user.email !== null) await outbox.store(db, userRemovedMail({ to: user.email, name, from: client.address }))
    await audit.note(db, 'user_removed', { userId: user.id, client })
    await query(db, 'update wallet_auth.audit_log set ip = null, user_agent = null where user_id = $1', [user.id])
  })
  outbox.deliver()
}

/** How long after a sign-in users without a passkey may make changes that cannot be undone, ms. */
const recentMs = 15 * 60_000

export interface ChangeRequest {
  readonly session: OpenSession
  readonly change: UserChange
  /** As the client sent it; undefined: nothing. */
  readonly confirmation: unknown
  readonly client: AuthClient
  readonly signal: AbortSignal
}

/**
 * Requires an assertion for this very change of users with a passkey, and a recent sign-in of the others. A session is
 * not enough for the former: whoever reads their mailbox has one.
 * @returns whether it was confirmed by a passkey
 * @throws ApiError 403 `reauthentication_needed`, and what checking the assertion throws
 */
export async function requireConfirmedChange(
  { userChanges }: Pick<AuthParts, 'userChanges'>,
  { session, change, confirmation, client, signal }: ChangeRequest,
): Promise<boolean> {
  const isConfirmed = await userChanges
    .confirm({
      userId: session.user.id,
      change,
      given: confirmation,
      client,
      signal,
    })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'REAUTHENTICATION_REQUIRED') throw authError(403, 'reauthentication_needed', error.message)
      throw new ApiError(error.status, error.code.toLowerCase(), error.message, {
        cause: error,
        details: error.details,
      })
    })
  if (isConfirmed || Date.now() - session.authenticatedAt.getTime() <= recentMs) return isConfirmed
  throw authError(
    403,
    'reauthentication_needed',
    'You signed in more than 15 minutes ago: sign in again, and do this then.',
  )
}
