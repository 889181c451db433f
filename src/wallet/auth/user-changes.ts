import type pg from 'pg'
import { z } from 'zod'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { authError } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { userRemovedMail } from './mail.ts'
import type { AuthClient, OpenSession } from './stores/sessions.ts'

/** Addresses of accounts that only removed passkeys can sign for. */
const abandon = z.array(z.string().max(20)).max(300).default([])

/** Confirmed by an assertion for this very change. */
export const userChange = z.discriminatedUnion('action', [
  z.object({ action: z.literal('add-passkey') }),
  z.object({ action: z.literal('accept-device'), credentialId: z.string().max(1400) }),
  z.object({ action: z.literal('email-recovery'), isEnabled: z.boolean() }),
  z.object({ action: z.literal('remove-passkey'), credentialId: z.string().max(1400), abandon }),
  z.object({ action: z.literal('change-email'), email: z.string().max(320) }),
  z.object({ action: z.literal('delete-user'), abandon }),
  z.object({ action: z.literal('make-api-key'), name: z.string().max(100) }),
])
export type UserChange = z.output<typeof userChange>

export interface ConfirmUserChange {
  hasPasskey(userId: string): Promise<boolean>
  /**
   * @returns false: the user has no passkey. @throws ApiError 403 `reauthentication_needed`, 409
   * `only_key` with accounts that would be lost
   */
  confirm(requested: {
    readonly userId: string
    readonly change: UserChange
    readonly given: unknown
    readonly client: AuthClient
    readonly signal: AbortSignal
  }): Promise<boolean>
}

/** Call in the transaction that deletes the user. */
export type DeleteUserData = (client: pg.ClientBase, userId: string) => Promise<void>

/**
 * Audit rows stay 90 days, without addresses and user agents. Accounts on the chain stay. @throws
 * ApiError 403 `reauthentication_needed`, 409 `only_key`
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
    // First, so that concurrent `lockUser` transactions end before their data is deleted.
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

/** Time after a sign-in for users without a passkey, ms. */
const recentMs = 15 * 60_000

export interface ChangeRequest {
  readonly session: OpenSession
  readonly change: UserChange
  readonly confirmation: unknown
  readonly client: AuthClient
  readonly signal: AbortSignal
}

/**
 * A session is not enough for users with a passkey: anyone who reads their mailbox can get one.
 * @returns whether a passkey confirmed it @throws ApiError 403 `reauthentication_needed`
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
